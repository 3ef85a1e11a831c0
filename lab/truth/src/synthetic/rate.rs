//! The rate of one clock by another, from made-up bracketed readings.

use clockscope_analysis::analyze::rate::whole;
use clockscope_analysis::trace::Bracketed;

use super::case::{Answer, Case};
use super::noise::{Interruptions, Random, Wander};

/// Ticks of the witness a ns.
const TICKS: f64 = 2.596_146;

/// `with`: quantum of the clock, ns; the two clocks' frequency noise, ppm, and over how many seconds it keeps; steps of
/// the clock a second.
pub(super) fn cases() -> Vec<Case> {
    let case = |injected: &str, truth, with| Case {
        estimator: "rate",
        injected: injected.into(),
        unit: "ns a tick",
        run,
        truth,
        with,
        wider: Some(BOUND),
    };
    let nominal = 1.0 / TICKS;
    vec![
        case("2.596 GHz counter, clock of 1 ns", nominal, [1.0, 0.0, 1.0, 0.0]),
        case("frequency wanders by 0.05 ppm over 0.1 s", nominal, [1.0, 0.05, 0.1, 0.0]),
        case("clock of 10.015 ns", nominal, [10.015, 0.0, 1.0, 0.0]),
        case("clock of 1 µs", nominal, [1_000.0, 0.0, 1.0, 0.0]),
        case("clock that steps by 1 µs to 1 ms, 5 times a second", nominal, [1.0, 0.0, 1.0, 5.0]),
    ]
}

const BOUND: &str = "the brackets and the clock's quantum enter as bounds that all slopes share";

fn run(case: &Case, seed: u64) -> Vec<Answer> {
    let [quantum, ppm, keeps_s, steps_a_second] = case.with;
    let mut random = Random::new(seed);
    // ns of the clock a tick of the witness.
    let nominal = case.truth * (1.0 + 1e-4 * random.normal());
    let mut wander = Wander::new(ppm * 1e-6, keeps_s * 1e9, &mut random);
    // Both in ns of an ideal clock.
    let (mut now, mut clock) = (0.0, random.between(1e12, 1e13));
    let first = clock;
    let mut stepped = 0.0;
    let mut anchors: Vec<Bracketed> = Vec::new();
    for i in 0..700 {
        // The calibration's first, then one a round of the other clocks' batches.
        let wait = if i < 64 { 780e3 } else { random.between(2e6, 6e6) };
        let mut left = wait + Interruptions::QUIET.during(wait, &mut random);
        while left > 0.0 {
            let piece = f64::min(left, 1e6);
            now += piece;
            clock += piece * (1.0 + wander.after(piece, &mut random));
            left -= piece;
        }
        if random.uniform() < steps_a_second * wait / 1e9 {
            stepped += random.log_uniform(1e3, 1e6);
        }
        let before = now;
        let inside = random.between(8.0, 16.0);
        let mut width = random.between(20.0, 28.0) + inside;
        let mut at = inside;
        if random.uniform() < 0.003 {
            let late = random.exponential(5_000.0);
            width += late;
            at += if random.uniform() < 0.5 { late } else { 0.0 };
        }
        let value = ((clock + at + stepped) * nominal * TICKS / quantum).floor() * quantum;
        let ticks = |ns: f64| (ns * TICKS / 26.0).floor() as u64 * 26;
        anchors.push(Bracketed { before: ticks(before), value: value as u64, after: ticks(before + width) });
        now += width;
        clock += width;
    }
    // What the clock advanced over the run, by the true time that passed.
    let truth = nominal * (clock - first) / now;
    whole(&anchors, quantum)
        .map(|r| Answer { truth, value: r.value, low: r.low, high: r.high })
        .into_iter()
        .collect()
}
