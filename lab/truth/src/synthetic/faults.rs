//! Sizes of faults, from made-up reads with steps of known size.

use clockscope_analysis::analyze::faults::{Reads, Terms, Watch};
use clockscope_analysis::record::EventKind;

use super::case::{Answer, Case};
use super::noise::{Interruptions, Random};

const TERMS: Terms = Terms {
    count_ns: 1.0,
    witness_ns: 1.0,
    rate: [0.999_998, 1.000_002],
    slack_ns: 31.0,
    standstill_ns: 12.0,
    read_ns: 15.0,
    wide_ns: 1_000.0,
    may_pause: false,
};
/// Steps a trace.
const STEPS: usize = 20;

/// `with`: reads of a row.
pub(super) fn cases() -> Vec<Case> {
    [(1.0, "single reads"), (64.0, "rows of 64 reads")]
        .map(|(reads, name)| Case {
            estimator: "warp",
            injected: format!("20 a trace of 1 µs to 10 ms, {name}, interruptions"),
            unit: "ns",
            run,
            truth: 1e5,
            with: [reads, 0.0, 0.0, 0.0],
            wider: Some("the witness's bounds are certain, not a distribution"),
        })
        .into()
}

fn run(case: &Case, seed: u64) -> Vec<Answer> {
    let reads = case.with[0] as usize;
    let mut random = Random::new(seed);
    let mut watch = Watch::new(TERMS, 0);
    let mut now = 1e9;
    let mut offset = 5e12;
    let mut injected = Vec::new();
    for row in 0..STEPS * 40 {
        let fault = (row % 40 == 20)
            .then(|| ((reads as f64 * random.uniform()) as usize, random.log_uniform(1e3, 1e7)));
        let before = now;
        let mut values = Vec::with_capacity(reads);
        for i in 0..reads {
            let work = random.between(20.0, 26.0);
            // A row with a fault and an interruption at once tells the two apart only in part; that case is the
            // interposer's.
            now += work + if fault.is_some() { 0.0 } else { Interruptions::QUIET.during(work, &mut random) };
            if let Some((at, size)) = fault
                && at == i
            {
                offset += size.floor();
                injected.push(size.floor());
            }
            values.push((now + offset).floor() as u64);
        }
        now += random.between(18.0, 24.0);
        let stamp = |t: f64| (t / 10.015).floor() * 10.015;
        let row = Reads {
            before: stamp(before) as u64,
            values: &values,
            after: stamp(now) as u64,
            cpu: None,
            trusted: true,
        };
        watch.row(&row);
        now += random.between(10.0, 60.0);
    }
    let found = watch.finish();
    let warps: Vec<_> = found.events.iter().filter(|event| event.kind == EventKind::Warp).collect();
    // One missed or invented makes the whole trace a failure, not a silent one.
    if warps.len() != injected.len() {
        return vec![Answer {
            truth: injected.len() as f64,
            value: warps.len() as f64,
            low: -1.0,
            high: -1.0,
        }];
    }
    warps
        .iter()
        .zip(injected)
        .map(|(event, truth)| {
            let half = event.size_uncertainty_ns.unwrap_or(0.0);
            Answer { truth, value: event.size_ns, low: event.size_ns - half, high: event.size_ns + half }
        })
        .collect()
}
