//! The offset between two CPUs' counters, from made-up messages between them.

use std::collections::BTreeMap;

use clockscope_analysis::analyze::skew::{Played, Terms, skew};
use clockscope_analysis::record::{Interval, SkewPair};
use clockscope_analysis::trace::{Bounds, Exchange, Visit};

use super::case::{Answer, Case};
use super::noise::{Interruptions, Random};

/// Messages there and back.
const ROUNDS: usize = 300;

/// Meetings of two CPUs in ten minutes, as `clockscope skew --time 10m` has them.
const VISITS: usize = 256;

/// The rate of one CPU's counter by another's, ppb. `with`: quantum in ticks; how much longer the way back takes, ticks;
/// the minutes; the share of meetings that others disturb.
pub(super) fn drift() -> Vec<Case> {
    [
        (10.0, [1.0, 0.0, 10.0, 0.0], "10 ppb in 10 min, counter of 1 tick"),
        (10.0, [26.0, 0.0, 10.0, 0.0], "10 ppb in 10 min, counter of 26 ticks"),
        (10.0, [2.0, 60.0, 10.0, 0.3], "10 ppb in 10 min, the way back longer by half, 3 meetings in 10 disturbed"),
        (1000.0, [26.0, 0.0, 1.0 / 6.0, 0.3], "1 ppm in 10 s, counter of 26 ticks, 3 meetings in 10 disturbed"),
        (50_000.0, [2.0, 0.0, 1.0 / 60.0, 0.3], "50 ppm in 1 s, counter of 2 ticks, 3 meetings in 10 disturbed"),
    ]
    .map(|(truth, with, name)| Case {
        estimator: "drift of a CPU",
        injected: name.into(),
        run: moving,
        truth,
        with,
        wider: Some(
            "what an offset errs by that moves through a clock's steps repeats, and adds up to less than chance would",
        ),
    })
    .into()
}

/// Counters of 1 GHz.
fn moving(case: &Case, seed: u64) -> Vec<Answer> {
    let [quantum, longer, minutes, disturbed] = case.with;
    let mut random = Random::new(seed);
    let truth = case.truth * random.between(0.9, 1.1);
    let (start, ahead) = (random.between(1e9, 2e9), random.between(-1e5, 1e5));
    let read = |ns: f64| (ns / quantum).floor() as u64 * quantum as u64;
    let mut trace = Exchange::default();
    for visit in 0..VISITS {
        let mut now = start + minutes * 60e9 * visit as f64 / VISITS as f64;
        let other = |now: f64| now + ahead + (now - start) * truth * 1e-9;
        // Of the way: how much longer than it must be, on the average.
        let more = if random.uniform() < disturbed { random.between(50.0, 1000.0) } else { 15.0 };
        let mut met = Visit::default();
        for _ in 0..ROUNDS {
            let mut way = |least: f64| {
                let work = least + random.exponential(more);
                now += work + Interruptions::QUIET.during(work, &mut random);
                now
            };
            let sent = read(way(20.0));
            let theirs = read(other(way(120.0)));
            let received = read(way(120.0 + longer));
            met.to_b(sent, theirs.wrapping_sub(sent).cast_signed());
            met.to_a(received, received.wrapping_sub(theirs).cast_signed());
        }
        trace.block(met.bounds());
        trace.visits.push(met);
    }
    let drift = found(trace, quantum).and_then(|pair| pair.drift?.ppb);
    drift.map(|ppb| Answer { truth, value: ppb.value, low: ppb.low, high: ppb.high }).into_iter().collect()
}

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
    let bounds = found(trace, quantum).and_then(|pair| pair.low_ns.zip(pair.high_ns));
    bounds.map(|(low, high)| Answer { truth, value: f64::midpoint(low, high), low, high }).into_iter().collect()
}

/// What is made of two CPUs' counters of 1 GHz.
fn found(trace: Exchange, quantum: f64) -> Option<SkewPair> {
    let terms = Terms { clock: "tscp".into(), count_ns: Interval::exactly(1.0), quantum: Some(quantum), set: false };
    let played = Played { cpu_a: 0, cpu_b: 1, distance: None, found: Ok(trace) };
    skew(&terms, &[0, 1], &BTreeMap::new(), &[played]).pairs.into_iter().next()
}
