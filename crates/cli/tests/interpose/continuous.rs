//! Lies without an end: a coarser quantum, another rate, noise, slow calls. The record names the figure, and no fault
//! that was not there.

use clockscope_analysis::record::{Clock, QuantumMethod};
use clockscope_interpose::{Injection, Kind, survey};

use crate::{alone, clockscope};

fn survey_under(script: &str, time: &str) -> (Clock, Injection) {
    let injection = Injection::new(script, 1).unwrap();
    let record = survey(clockscope(), &["--clock", "monotonic", "--time", time], Some(&injection)).unwrap();
    (record.clocks.into_iter().find(|clock| clock.id == "monotonic").expect("the clock"), injection)
}

fn no_fault(clock: &Clock, script: &str) {
    let found = (clock.regressions.count, clock.warps.count, clock.stalls.unexplained, clock.failed_reads);
    assert_eq!(found, (0, 0, 0, 0), "{script}: regressions, warps, stalls, failures: {:#?}", clock.events);
}

#[test]
fn a_fractional_quantum_lies_within_its_interval() {
    let _alone = alone();
    for (step, truth) in
        [("69.841ns", 69.841), ("1000/3ns", 1000.0 / 3.0), ("279.365ns", 279.365), ("1us", 1000.0), ("4ms", 4e6)]
    {
        let script = format!("monotonic quantize {step}");
        let (clock, _) = survey_under(&script, "900ms");
        let tick = &clock.tick_ns;
        let (Some(quantum), Some(low), Some(high)) = (tick.quantum, tick.quantum_low, tick.quantum_high) else {
            panic!("{script}: {tick:?}")
        };
        // Not the interval alone, which one time in twenty may miss: ten parts in a million beside it.
        let half = (high - low) / 2.0 + 1e-5 * truth;
        assert!((quantum - truth).abs() <= half, "{script}: {quantum} in [{low}, {high}]");
        assert!((quantum / truth - 1.0).abs() < 1e-4, "{script}: {quantum}");
        assert!(matches!(tick.method, QuantumMethod::Steps | QuantumMethod::Lattice), "{script}: {tick:?}");
        no_fault(&clock, &script);
    }
}

#[test]
fn another_rate_is_no_fault() {
    let _alone = alone();
    for ppm in [-37, 500] {
        let script = format!("monotonic rate {ppm}ppm");
        let (clock, _) = survey_under(&script, "900ms");
        no_fault(&clock, &script);
    }
}

#[test]
fn noise_below_the_quantum_is_no_fault() {
    let _alone = alone();
    for script in [
        "monotonic walk 0.05ns per=read",
        "monotonic walk 50ns per=s",
        "monotonic walk 0.05ns per=read; monotonic quantize 100ns",
    ] {
        let (clock, _) = survey_under(script, "900ms");
        no_fault(&clock, script);
    }
}

#[test]
fn slow_calls_show_in_the_cost_and_are_no_fault() {
    let _alone = alone();
    // Every call: the cost itself. One in twenty: the tail.
    let (clock, _) = survey_under("monotonic slow 5us every=1", "900ms");
    let cost = clock.cost_ns.expect("a cost");
    assert!(cost.low >= 5000.0, "{cost:?}");
    no_fault(&clock, "every call");

    let (clock, injection) = survey_under("monotonic slow 5us every=20", "900ms");
    let cost = clock.cost_ns.expect("a cost");
    assert!(cost.p99.is_some_and(|p99| p99 >= 5000.0), "{cost:?}");
    assert!(injection.log().unwrap().count("monotonic", Kind::Slow) > 100);
    no_fault(&clock, "one call in twenty");
}
