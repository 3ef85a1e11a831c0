//! The offset between two CPUs' counters, from made-up messages between them.

use std::collections::BTreeMap;

use clockscope_analysis::analyze::skew::{Played, Terms, skew};
use clockscope_analysis::record::Interval;
use clockscope_analysis::trace::{Bounds, Exchange};

use super::case::{Answer, Case};
use super::noise::{Interruptions, Random};

/// Messages there and back.
const ROUNDS: usize = 300;

/// `with`: quantum in ticks, how much longer the way back takes, ticks.
pub(super) fn cases() -> Vec<Case> {
    [
        (1.0, 0.0, "counter of 1 tick"),
        (26.0, 0.0, "counter of 26 ticks"),
        (2.0, 60.0, "the way back takes longer by half"),
    ]
    .map(|(quantum, back, name)| Case {
        estimator: "skew",
        injected: name.into(),
        run,
        truth: 1000.0,
        with: [quantum, back, 0.0, 0.0],
        wider: Some("what messages bound is certain, not a distribution"),
    })
    .into()
}

fn run(case: &Case, seed: u64) -> Vec<Answer> {
    let [quantum, longer, ..] = case.with;
    let mut random = Random::new(seed);
    let truth = case.truth * random.between(0.9, 1.1);
    let mut now = random.between(1e9, 2e9);
    let read = |now: f64, offset: f64| ((now + offset) / quantum).floor() as i64 * quantum as i64;
    let mut trace = Exchange::default();
    for _ in 0..ROUNDS {
        let mut way = |least: f64| {
            let work = least + random.exponential(15.0);
            now += work + Interruptions::QUIET.during(work, &mut random);
            now
        };
        let sent = read(way(20.0), 0.0);
        let theirs = read(way(120.0), truth);
        let received = read(way(120.0 + longer), 0.0);
        let mut bounds = Bounds::default();
        bounds.to_b(theirs - sent);
        bounds.to_a(received - theirs);
        trace.block(bounds);
        trace.messages += 2;
    }
    let count_ns = Interval::exactly(1.0);
    let terms = Terms { clock: "tscp".into(), count_ns, quantum: Some(quantum) };
    let played = Played { cpu_a: 0, cpu_b: 1, distance: None, found: Ok(trace) };
    let found = skew(&terms, &[0, 1], &BTreeMap::new(), &[played]);
    let bounds = found.pairs.first().and_then(|pair| pair.low_ns.zip(pair.high_ns));
    bounds.map(|(low, high)| Answer { truth, value: f64::midpoint(low, high), low, high }).into_iter().collect()
}
