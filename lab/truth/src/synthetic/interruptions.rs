//! The typical length of interruptions, and what one cause took, from made-up watches of a CPU.

use clockscope_analysis::analyze::interruptions::Interruptions;
use clockscope_analysis::record::{Cause, CpuInterruptions, Interval};
use clockscope_analysis::trace::{Absence, Absences, Counted, Vigil};

use super::case::{Answer, Case};
use super::noise::Random;

/// `with`: interruptions a trace.
pub(super) fn cases() -> Vec<Case> {
    [(50.0, "median of 50 interruptions"), (5000.0, "median of 5000 interruptions")]
        .map(|(count, name)| Case {
            estimator: "interruptions",
            injected: name.into(),
            run,
            truth: 4000.0,
            with: [count, 0.0, 0.0, 0.0],
            wider: None,
        })
        .into()
}

fn run(case: &Case, seed: u64) -> Vec<Answer> {
    let mut random = Random::new(seed);
    let mut now = 0_u64;
    let mut absences = Vec::new();
    for _ in 0..case.with[0] as usize {
        now += random.between(1e5, 4e6) as u64;
        // 1 µs and an exponential rest, whose median is its mean times ln 2.
        let length = (1000.0 + random.exponential((case.truth - 1000.0) / std::f64::consts::LN_2)).round() as u64;
        let seen = Counted { interrupts: Some(1), ..Counted::default() };
        absences.push(Absence { from: now, length, seen, migrated: false, in_look: false });
        now += length;
    }
    let tick = Interval::exactly(1.0);
    let mut all = Interruptions::default();
    all.absences(&Absences { cpu: 0, absences }, tick);
    all.vigil(&Vigil { end: now, reads: now / 20, ..Vigil::default() });
    let cpus: Vec<CpuInterruptions> = all.state(0, tick);
    let named = cpus.iter().all(|cpu| cpu.causes.iter().all(|lost| lost.cause == Cause::Interrupt));
    let median = cpus.first().and_then(|cpu| cpu.median_ns).filter(|_| named);
    median.map(|Interval { value, low, high }| Answer { truth: case.truth, value, low, high }).into_iter().collect()
}
