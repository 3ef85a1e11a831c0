//! Counts and sizes of faults, from made-up reads with steps of known size.

use clockscope_analysis::analyze::faults::{Found, Reads, Terms, Watch};
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
/// Steps a trace, and reads from one to the next at least.
const STEPS: usize = 20;
const APART: usize = 500;
/// How often a wrong answer is given, so that the right ones of 2000 seeds do not outweigh it: a count is exact or it is
/// not.
const WRONG: usize = 10_000;

/// A reader and its clock.
struct Play {
    random: Random,
    now: f64,
    offset: f64,
    /// The last value; the next one steps back from it.
    last: f64,
    regressions: u64,
    warps: Vec<f64>,
}

/// `with`: reads of a row; share of the steps that are one reading behind, the next one right again; share of the rows
/// with an interruption of 5 µs to 10 ms.
/// Above the table, with what skew has in common.
pub(super) const COMMON: &str = "Skew: 1000 ticks, messages of 120 ticks and more. Faults: 20 a trace, with \
                                interruptions; jumps of 1 µs to 10 ms; for their number also single readings behind by \
                                50 ns to 5 ms, with interruptions in 1 % of the rows.";

pub(super) fn cases() -> Vec<Case> {
    let rows = [(1.0, "single reads"), (8.0, "rows of 8 reads"), (64.0, "rows of 64 reads")];
    let sizes = rows.map(|(reads, name)| Case {
        estimator: "size of a jump",
        injected: name.into(),
        run: |case, seed| sizes(&play(case, seed)),
        truth: 1e5,
        with: [reads, 0.0, 0.0, 0.0],
        wider: Some("the witness's bounds are certain, not a distribution"),
    });
    let counts = rows.map(|(reads, name)| Case {
        estimator: "number of faults",
        injected: name.into(),
        run: |case, seed| count(&play(case, seed)),
        truth: STEPS as f64,
        with: [reads, 0.7, 0.01, 0.0],
        wider: Some("a count is exact"),
    });
    sizes.into_iter().chain(counts).collect()
}

fn play(case: &Case, seed: u64) -> (Play, Found) {
    let [reads, behind, interrupted, _] = case.with;
    let reads = reads as usize;
    let (now, offset) = (1e9, 5e12);
    let mut p = Play { random: Random::new(seed), now, offset, last: 0.0, regressions: 0, warps: Vec::new() };
    let mut watch = Watch::new(0);
    watch.set_terms(TERMS);
    let rows = APART.div_ceil(reads);
    for row in 0..STEPS * rows {
        let fault = (row % rows == rows / 2).then(|| (reads as f64 * p.random.uniform()) as usize);
        let gap = (p.random.uniform() < interrupted).then(|| (reads as f64 * p.random.uniform()) as usize);
        let before = p.now;
        let mut values = Vec::with_capacity(reads);
        for i in 0..reads {
            let gap = if gap == Some(i) { p.random.log_uniform(5e3, 1e7) } else { 0.0 };
            // Before the reading is taken or after it.
            let early = p.random.uniform() < 0.5;
            let work = p.random.between(20.0, 26.0);
            p.now += work + Interruptions::QUIET.during(work, &mut p.random) + if early { gap } else { 0.0 };
            values.push(p.read(fault == Some(i), behind));
            p.now += if early { 0.0 } else { gap };
        }
        p.now += p.random.between(18.0, 24.0);
        let stamp = |t: f64| ((t / 10.015).floor() * 10.015) as u64;
        watch.row(&Reads { before: stamp(before), values: &values, after: stamp(p.now), cpu: None, trusted: true });
        p.now += p.random.between(10.0, 60.0);
    }
    (p, watch.finish())
}

impl Play {
    fn read(&mut self, fault: bool, behind: f64) -> u64 {
        let is_behind = fault && self.random.uniform() < behind;
        if is_behind {
            self.regressions += 1;
        } else if fault {
            self.warps.push(self.random.log_uniform(1e3, 1e7).floor());
            self.offset += self.warps.last().copied().unwrap_or(0.0);
        }
        let value = (self.now + self.offset).floor();
        let size = self.random.log_uniform(50.0, 5e6).floor();
        self.last = if is_behind { self.last - size } else { value };
        self.last as u64
    }
}

/// Each warp's size, or where one was missed or invented, nothing right.
fn sizes(case: &(Play, Found)) -> Vec<Answer> {
    let (play, found) = case;
    let warps: Vec<_> = found.events.iter().filter(|event| event.kind == EventKind::Warp).collect();
    if warps.len() != play.warps.len() {
        return count(case);
    }
    warps
        .iter()
        .zip(&play.warps)
        .map(|(event, truth)| {
            let half = event.size_uncertainty_ns.unwrap_or(0.0);
            let (low, high) = (event.size_ns - half, event.size_ns + half);
            Answer { truth: *truth, value: event.size_ns, low, high }
        })
        .collect()
}

/// How many faults were found, if all and no others.
fn count((play, found): &(Play, Found)) -> Vec<Answer> {
    let injected = [play.regressions, play.warps.len() as u64, 0];
    let is = [found.regressions.count, found.warps.count, found.stalls.count];
    let [truth, value] = [injected, is].map(|counts| counts.iter().sum::<u64>() as f64);
    if injected == is {
        return vec![Answer { truth, value, low: value, high: value }];
    }
    vec![Answer { truth, value, low: -1.0, high: -1.0 }; WRONG]
}
