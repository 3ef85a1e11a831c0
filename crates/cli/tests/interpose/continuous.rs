//! Lies without an end: a coarser quantum, another rate, noise, slow calls. The record names the figure, and no fault
//! that was not there.

use clockscope_analysis::record::{Clock, QuantumMethod};
use clockscope_interpose::{Injection, Kind};

use crate::{alone, monotonic, no_fault};

fn survey_under(script: &str) -> (Clock, Injection) {
    let injection = Injection::new(script, 1).unwrap();
    let clock = monotonic("--time 900ms", Some(&injection));
    no_fault(&clock, script);
    (clock, injection)
}

#[test]
fn a_fractional_quantum_lies_within_its_interval() {
    let _alone = alone();
    for (step, truth) in
        [("69.841ns", 69.841), ("1000/3ns", 1000.0 / 3.0), ("279.365ns", 279.365), ("1us", 1000.0), ("4ms", 4e6)]
    {
        let script = format!("monotonic quantize {step}");
        let (clock, _) = survey_under(&script);
        let tick = &clock.tick_ns;
        let (Some(quantum), Some(low), Some(high)) = (tick.quantum, tick.quantum_low, tick.quantum_high) else {
            panic!("{script}: {tick:?}")
        };
        // Not the interval alone, which one time in twenty may miss: ten parts in a million beside it.
        let half = (high - low) / 2.0 + 1e-5 * truth;
        assert!((quantum - truth).abs() <= half, "{script}: {quantum} in [{low}, {high}]");
        assert!((quantum / truth - 1.0).abs() < 1e-4, "{script}: {quantum}");
        assert!(matches!(tick.method, QuantumMethod::Steps | QuantumMethod::Lattice), "{script}: {tick:?}");
    }
}

#[test]
fn another_rate_and_noise_below_the_quantum_are_no_faults() {
    let _alone = alone();
    for script in [
        "monotonic rate -37ppm",
        "monotonic rate 500ppm",
        "monotonic walk 0.05ns per=read",
        "monotonic walk 50ns per=s",
        "monotonic walk 0.05ns per=read; monotonic quantize 100ns",
    ] {
        survey_under(script);
    }
}

#[test]
fn slow_calls_show_in_the_cost_and_are_no_fault() {
    let _alone = alone();
    // Every call: the cost itself. One in twenty: the tail.
    let cost = survey_under("monotonic slow 5us every=1").0.cost_ns.expect("a cost");
    assert!(cost.low >= 5000.0, "{cost:?}");
    let (clock, injection) = survey_under("monotonic slow 5us every=20");
    let cost = clock.cost_ns.expect("a cost");
    assert!(cost.p99.is_some_and(|p99| p99 >= 5000.0), "{cost:?}");
    assert!(injection.log().unwrap().count("monotonic", Kind::Slow) > 100);
}
