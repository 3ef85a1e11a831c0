//! Made-up threads whose truth is known.

use super::*;
use crate::analyze::attribution::Cause;
use crate::trace::Counted;
use proptest::prelude::*;

fn tally(lengths: impl IntoIterator<Item = u64>) -> Tally {
    lengths.into_iter().fold(Tally::default(), |mut tally, length| {
        tally.add(length);
        tally
    })
}

/// A thread of a crowd of two, on a counter of 0.5 ns.
fn crowd(threads: Vec<Result<Paired, String>>) -> Crowd {
    let mut all = Vec::new();
    for (thread, seen) in threads.into_iter().enumerate() {
        take(&mut all, &Pairs { clock: 0, threads: 2, thread: thread as u32, cpu: None, seen });
    }
    assert_eq!(all.len(), 1);
    crowd_of(&all[0], 0.5, Some(26.0))
}

fn paired(lengths: impl IntoIterator<Item = u64>) -> Paired {
    Paired { lengths: tally(lengths), observed_ns: 1e6, threshold: 2000, ..Paired::default() }
}

#[test]
fn two_threads_are_told_each_and_together() {
    let first = paired([26, 52, 52, 52, 78]);
    let second = Paired { migrations: 2, retried: 1, between_counts: 4000, ..paired([26, 26, 26, 26, 30]) };
    let crowd = crowd(vec![Ok(first), Ok(second), Err("could not be started".into())]);
    let medians = crowd.rows.iter().map(|row| row.pairs.median_counts).collect::<Vec<_>>();
    assert_eq!(medians, [Some(52.0), Some(26.0), None]);
    assert_eq!(crowd.rows[2].missing.as_deref(), Some("could not be started"));
    let all = &crowd.pairs;
    assert_eq!((crowd.threads, crowd.ran, all.observations, all.migrations, all.retries), (2, 2, 10, 2, 1));
    assert_eq!((all.min_ns, all.median_ns, all.max_ns), (Some(13.0), Some(13.0), Some(39.0)));
    assert_eq!((all.mean_ns, all.sum_ns, all.between_ns), (Some(19.7), 197.0, 2000.0));
    let wanted = [26.0_f64, 52.0, 52.0, 52.0, 78.0, 26.0, 26.0, 26.0, 26.0, 30.0];
    let sd = (wanted.iter().map(|length| (length / 2.0 - 19.7).powi(2)).sum::<f64>() / 10.0).sqrt();
    assert!((all.sd_ns.unwrap() - sd).abs() < 1e-12, "{all:?}");
    let commonest = crowd.commonest.iter().map(|common| (common.counts, common.share)).collect::<Vec<_>>();
    assert_eq!(commonest, [(26, 0.5), (52, 0.3), (30, 0.1), (78, 0.1)]);
    assert_eq!(crowd.on_quantum_share, Some(0.9));
}

#[test]
fn a_thread_that_comes_twice_begins_a_crowd_of_its_own() {
    let mut all = Vec::new();
    for threads in [2, 2, 3] {
        take(&mut all, &Pairs { clock: 0, threads, thread: 0, cpu: None, seen: Ok(paired([1])) });
    }
    assert_eq!(all.len(), 3);
}

#[test]
fn nothing_seen_is_nothing_claimed() {
    let crowd = crowd(vec![Ok(Paired::default())]);
    assert_eq!((crowd.pairs.observations, crowd.pairs.median_ns, crowd.pairs.mean_ns), (0, None, None));
    assert!(crowd.pairs.tail.shares.is_empty() && crowd.longest.is_empty() && crowd.commonest.is_empty());
}

/// What the kernel counts in 4 ms in which nothing but what the test says happened, all being read.
fn quiet(off_cpu_ns: u64) -> Counted {
    Counted::quiet(4_000_000, 4_000_000 - off_cpu_ns)
}

/// So many pairs of that length, and what was counted in each.
fn long(pairs: u64, counts: u64, each: Counted) -> LongPairs {
    let grown = (1..pairs).fold(each, |sum, _| sum.and(&each));
    LongPairs { pairs, counts: pairs * counts, migrated: false, grown }
}

#[test]
fn the_lost_time_goes_under_the_right_names() {
    let one = Some(1);
    // Counts of 0.5 ns: 2,000,000 of them are a millisecond.
    let injected = [
        (
            Cause::Preempted,
            long(40, 6_000_000, Counted { waited_ns: Some(3_000_000), involuntary: one, ..quiet(3_000_000) }),
        ),
        (
            Cause::Throttled,
            long(
                10,
                4_000_000,
                Counted {
                    waited_ns: Some(2_000_000),
                    throttled_ns: Some(2_000_000),
                    involuntary: one,
                    ..quiet(2_000_000)
                },
            ),
        ),
        (Cause::Stopped, long(1, 5_000_000, Counted { voluntary: one, continued: one, ..quiet(2_500_000) })),
        (Cause::PageFault, long(3000, 8_000, Counted { minor_faults: one, ..quiet(0) })),
        (Cause::Interrupt, long(20_000, 5_000, Counted { interrupts: one, ..quiet(0) })),
        (Cause::Unknown, long(7, 3_000, quiet(0))),
    ];
    let total: u64 = injected.iter().map(|(_, long)| long.counts).sum();
    let kinds = injected.map(|(_, long)| long);
    let longest = vec![long(1, 6_000_000, kinds[0].grown), long(1, 5_000_000, kinds[2].grown)];
    let crowd = crowd(vec![Ok(Paired { long: kinds.to_vec(), longest, ..paired([26, 6_000_000]) })]);
    let tail = &crowd.pairs.tail;
    assert_eq!((tail.pairs, tail.ns), (23_058, total as f64 / 2.0));
    for (cause, long) in injected {
        let (share, truth) = (tail.shares.get(&cause).copied().unwrap_or(0.0), long.counts as f64 / total as f64);
        assert!((share / truth - 1.0).abs() <= 0.05, "{cause:?}: {share} of {truth}");
    }
    assert_eq!(tail.not_looked_share, 0.0);
    let longest = crowd.longest.iter().map(|pair| (pair.ns, pair.cause)).collect::<Vec<_>>();
    assert_eq!(longest, [(3e6, Cause::Preempted), (2.5e6, Cause::Stopped)]);
}

#[test]
fn what_nobody_looked_at_is_said() {
    let kinds = vec![long(3, 4000, Counted { interrupts: None, ..quiet(0) }), long(1, 4000, quiet(0))];
    let tail = crowd(vec![Ok(Paired { long: kinds, ..paired([26]) })]).pairs.tail;
    assert_eq!((tail.shares.get(&Cause::Unknown), tail.not_looked_share), (Some(&1.0), 0.75));
}

proptest! {
    #[test]
    fn figures_are_those_of_the_sorted_lengths(mut seen in prop::collection::vec(prop_oneof![0..8000_u64, 0..1_u64 << 40], 1..400)) {
        let figures = lengths(&tally(seen.iter().copied()));
        seen.sort_unstable();
        let n = seen.len();
        let [least, median, mean, sd, p99, p999, greatest] = figures.figures.unwrap();
        prop_assert_eq!((figures.count, least, greatest), (n as u64, seen[0] as f64, seen[n - 1] as f64));
        for (share, value) in [(0.5, median), (0.99, p99), (0.999, p999)] {
            let truth = seen[((share * n as f64).ceil() as usize).clamp(1, n) - 1];
            let within = if truth < 4096 { 0.0 } else { truth as f64 / 256.0 };
            prop_assert!((value - truth as f64).abs() <= within, "{share}: {value} of {truth}");
        }
        let true_mean = seen.iter().sum::<u64>() as f64 / n as f64;
        let variance = seen.iter().map(|length| (*length as f64 - true_mean).powi(2)).sum::<f64>() / n as f64;
        prop_assert!((mean - true_mean).abs() <= 1e-9 * true_mean.max(1.0));
        prop_assert!((sd - variance.sqrt()).abs() <= 1e-6 * sd.max(1e-3), "{sd} of {}", variance.sqrt());
    }

    #[test]
    fn whatever_a_trace_holds_does_no_harm(seen: std::collections::BTreeMap<u32, u64>, squares: [u64; 2], sum: u64, least: u64, greatest: u64, count_ns in 1e-9..1e9) {
        let long = crate::trace::tally::Long { sum, squares, least, greatest };
        let paired = Paired { lengths: Tally { seen, long }, ..Paired::default() };
        let mut all = Vec::new();
        for thread in 0..2 {
            take(&mut all, &Pairs { clock: 0, threads: 2, thread, cpu: None, seen: Ok(paired.clone()) });
        }
        prop_assert_eq!(crowd_of(&all[0], count_ns, Some(26.0)).ran, 2);
    }
}
