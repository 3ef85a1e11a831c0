//! CS033 and CS034: what threads that read at once see of a clock that no counter of the kernel explains.

use crate::judge::rules::prelude::{Draft, Note, Warning, listed};
use crate::record::{Cause, Crowd, ThreadsReport};
use crate::text;

/// From this share of the time that a clock's reads took on, long pairs matter.
const OF_TIME: f64 = 0.01;
/// From this share of the long pairs' time on, what is unexplained is most of it.
const OF_TAIL: f64 = 0.5;
/// Fewer long pairs tell of an accident.
const FEWEST: u64 = 100;

/// A clock with the number of threads at which it was worst.
struct Worst<'a> {
    clock: &'a str,
    crowd: &'a Crowd,
    share: f64,
}

/// CS033: a reading less than the one before, on the same thread.
pub(super) fn went_back(report: &ThreadsReport) -> Option<Draft> {
    let back = |crowd: &&Crowd| crowd.pairs.went_back > 0;
    let found: Vec<Worst> = worst(report, |crowd| back(&crowd).then_some(crowd.pairs.went_back as f64));
    let first = found.first()?;
    let told = |at: &Worst| {
        let pairs = &at.crowd.pairs;
        let largest = pairs.went_back_largest_ns.map(|ns| format!(", the largest by {}", text::time(ns)));
        let times =
            if pairs.went_back == 1 { "once".into() } else { format!("{} times", text::grouped(pairs.went_back)) };
        let threads = text::count(at.crowd.threads.into(), "thread");
        format!("{}, {threads}: {times}{}", at.clock, largest.unwrap_or_default())
    };
    Some(Draft {
        severity: Warning,
        title: format!("{}: went back while threads read it", first.clock),
        evidence: listed(found.iter().map(told), found.len() as u64, "more of the sort"),
        why: "Each thread compared its own readings alone. One that goes back makes a negative interval, and an order of events \
              that was none."
            .into(),
        fix: "A wall clock may have been set meanwhile: take `monotonic` for intervals. Of a CPU's own counter the CPUs disagree: \
              `clockscope skew` tells by how much. Else the clock is at fault: `clockscope doctor`."
            .into(),
        clocks: ids(&found),
    })
}

/// CS034: most of the long pairs' time is left for the clock.
pub(super) fn unexplained(report: &ThreadsReport) -> Option<Draft> {
    let share = |crowd: &Crowd| {
        let (tail, pairs) = (&crowd.pairs.tail, &crowd.pairs);
        let unknown = tail.shares.get(&Cause::Unknown)? - tail.not_looked_share;
        let is_much = tail.pairs >= FEWEST && tail.ns >= OF_TIME * pairs.sum_ns && unknown >= OF_TAIL;
        is_much.then_some(unknown)
    };
    let found = worst(report, share);
    let first = found.iter().max_by(|a, b| a.share.total_cmp(&b.share))?;
    let told = |at: &Worst| {
        let tail = &at.crowd.pairs.tail;
        format!(
            "{}, {}: {} long pairs took {}, of which {} is left",
            at.clock,
            text::count(at.crowd.threads.into(), "thread"),
            text::grouped(tail.pairs),
            text::time(tail.ns),
            text::percent(at.share)
        )
    };
    Some(Draft {
        severity: Note,
        title: format!("{}: long reads that no counter of the kernel explains", first.clock),
        evidence: listed(found.iter().map(told), found.len() as u64, "more of the sort"),
        why: "Neither scheduler nor interrupts, page faults, quota or steal account for most of the long pairs' time. Either the \
              reads themselves wait (a lock, a device that all CPUs share, a sequence counter that is being written), or \
              something took the CPU that this system can't see: a host that hides its steal, or firmware (SMI)."
            .into(),
        fix: "Compare with another clock in the same run, as in `clockscope threads --clock monotonic,tscp`: if both have it, it \
              is the CPU; if one, the clock, and the finer one is to be had by `clockscope doctor`."
            .into(),
        clocks: ids(&found),
    })
}

/// Of each clock the crowd that is worst by a measure, if any has one.
fn worst<'a>(report: &'a ThreadsReport, bad: impl Fn(&Crowd) -> Option<f64>) -> Vec<Worst<'a>> {
    let of = |clock: &'a crate::record::ThreadsClock| {
        let all = clock.crowds.iter().filter_map(|crowd| {
            let share = bad(crowd).filter(|share| share.is_finite())?;
            Some(Worst { clock: &clock.clock, crowd, share })
        });
        all.max_by(|a, b| a.share.total_cmp(&b.share))
    };
    report.clocks.iter().filter_map(of).collect()
}

fn ids(found: &[Worst]) -> Vec<String> {
    found.iter().map(|at| at.clock.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::judge::judge_threads;
    use crate::record::{Cause, Crowd, Finding, Interval, PairFigures, Severity, Tail, ThreadsClock, ThreadsReport};

    fn found(pairs: PairFigures) -> Vec<Finding> {
        let quiet = Crowd { threads: 1, ..Crowd::default() };
        let crowds = vec![quiet, Crowd { threads: 8, pairs, ..Crowd::default() }];
        let clock = ThreadsClock {
            clock: "monotonic".into(),
            count_ns: Interval::exactly(1.0),
            quantum_counts: None,
            crowds,
            missing: BTreeMap::new(),
        };
        judge_threads(&ThreadsReport { clocks: vec![clock], ..ThreadsReport::default() })
    }

    fn left(unknown: f64, not_looked_share: f64, pairs: u64, ns: f64) -> PairFigures {
        let shares = [(Cause::Unknown, unknown), (Cause::Preempted, 1.0 - unknown)].into();
        let tail = Tail { pairs, ns, shares, not_looked_share, ..Tail::default() };
        PairFigures { sum_ns: 1e9, tail, ..PairFigures::default() }
    }

    #[test]
    fn a_clock_that_went_back_is_told_of() {
        let pairs = PairFigures { went_back: 12, went_back_largest_ns: Some(40.0), ..PairFigures::default() };
        let [back] = &found(pairs)[..] else { panic!("one of them") };
        assert_eq!((back.code.as_str(), back.severity), ("CS033", Severity::Warning));
        assert_eq!(back.evidence, "monotonic, 8 threads: 12 times, the largest by 40 ns.");
    }

    #[test]
    fn long_pairs_are_told_of_where_most_of_their_time_is_unexplained() {
        let [long] = &found(left(0.8, 0.1, 1000, 5e7))[..] else { panic!("one of them") };
        assert_eq!((long.code.as_str(), long.severity, long.of_run), ("CS034", Severity::Note, true));
        assert_eq!(long.evidence, "monotonic, 8 threads: 1,000 long pairs took 50 ms, of which 70 % is left.");
    }

    #[test]
    fn explained_few_short_or_unlooked_ones_are_not() {
        for pairs in [
            left(0.3, 0.0, 1000, 5e7),
            left(0.8, 0.4, 1000, 5e7),
            left(0.8, 0.0, 99, 5e7),
            left(0.8, 0.0, 1000, 5e6),
            left(f64::NAN, 0.0, 1000, 5e7),
            PairFigures::default(),
        ] {
            assert_eq!(found(pairs.clone()), [], "{pairs:?}");
        }
    }
}
