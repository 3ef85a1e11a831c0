use super::*;
use crate::record::{ClockSpans, Interval, SpanBy};
use crate::trace::{Chain, Empties, Timed};

/// A made-up clock: its overhead, its quantum and each read's jitter (standard deviation), ns.
#[derive(Clone, Copy)]
struct Made {
    overhead: f64,
    quantum: f64,
    jitter: f64,
}

const STEPS: [u32; 14] = [0, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000];
/// What a loop's end takes, ns.
const END: f64 = 4.3;

struct Bench {
    random: fastrand::Rng,
    /// Nanoseconds a step.
    rate: f64,
    /// By which share a chain takes longer or shorter than another one.
    unsteady: f64,
}

impl Bench {
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.random.f64()).sum::<f64>() - 6.0
    }

    /// How far a clock advances between two moments, in ps.
    fn timing(&mut self, clock: Made, start: f64, stop: f64) -> i64 {
        let (a, b) = (self.normal() * clock.jitter, self.normal() * clock.jitter);
        let floor = |t: f64| (t / clock.quantum).floor() * clock.quantum;
        ((floor(stop + clock.overhead + b) - floor(start + a)) * 1000.0).round() as i64
    }

    /// A lot, in picoseconds of both clocks.
    fn lot(&mut self, clock: Made, witness: Made) -> Vec<Chain> {
        let chain = |steps: u32| {
            let steps = (f64::from(steps) * (0.5 + self.random.f64())).round() as u32;
            let end = if steps == 0 { 0.0 } else { END };
            let length = (f64::from(steps) * self.rate + end) * (1.0 + self.unsteady * self.normal());
            let start = 1e9 + self.random.f64() * 1e7;
            let stop = start + length;
            let counts = self.timing(clock, start, stop);
            Chain { steps, counts, witness: self.timing(witness, start - 12.0, stop + clock.overhead + 9.0) }
        };
        STEPS.map(chain).to_vec()
    }
}

const WITNESS: Made = Made { overhead: 17.0, quantum: 10.0, jitter: 0.3 };

fn run(clock: Made, lots: usize, seed: u64, mut wander: impl FnMut(usize) -> f64) -> ClockSpans {
    let mut bench = Bench { random: fastrand::Rng::with_seed(seed), rate: 1.9, unsteady: 0.02 };
    let mut spans = Spans::default();
    for at in 0..lots {
        bench.rate = 1.9 * wander(at);
        let chains = bench.lot(clock, WITNESS);
        spans.timed(&Timed { clock: 0, chains, failed: 0 });
    }
    let quantum = (clock.quantum > 0.1).then_some(clock.quantum);
    spans.state("made-up", [0.001, 0.001], quantum.map(Interval::exactly), Some(WITNESS.quantum))
}

fn span(found: &ClockSpans, within: f64, mean_of: u32, subtracted: bool) -> (f64, SpanBy) {
    found
        .span(within, mean_of, subtracted)
        .map_or_else(|| panic!("{within} {mean_of}: {found:?}"), |span| (span.ns, span.by))
}

fn near(found: f64, truth: f64) {
    assert!((found / truth - 1.0).abs() <= 0.05, "{found} for {truth}");
}

#[test]
fn a_clock_that_moves_in_steps() {
    for quantum in [10.0, 69.841, 279.365] {
        let found = run(Made { overhead: 24.0, quantum, jitter: 0.0 }, 6000, 1, |_| 1.0);
        for within in [0.1, 0.01] {
            near(span(&found, within, 1, true).0, OF_QUANTUM * quantum / within);
        }
        let overhead = found.overhead_ns.unwrap();
        assert!(
            overhead.low <= 24.0 && 24.0 <= overhead.high && overhead.high - overhead.low < 0.5 + quantum / 20.0,
            "{overhead:?}"
        );
    }
}

#[test]
fn a_clock_whose_reads_take_now_longer_now_shorter() {
    let found = run(Made { overhead: 40.0, quantum: 0.001, jitter: 3.0 }, 6000, 2, |_| 1.0);
    let sd = 3.0 * 2_f64.sqrt();
    for within in [0.1, 0.01] {
        near(span(&found, within, 1, true).0, 1.96 * sd / within);
        near(span(&found, within, 1, false).0, (40.0 + 1.645 * sd) / within);
        near(span(&found, within, 10, true).0, 1.96 * sd / 10_f64.sqrt() / within);
    }
}

#[test]
fn a_cpu_whose_frequency_wanders_does_not_show_as_the_clocks_error() {
    let clock = Made { overhead: 24.0, quantum: 10.0, jitter: 0.0 };
    let found = run(clock, 6000, 3, |at| 1.0 + 0.2 * libm::sin(at as f64 / 300.0));
    near(span(&found, 0.01, 1, true).0, OF_QUANTUM * 10.0 / 0.01);
}

#[test]
fn beyond_the_longest_chain_by_the_error_or_by_the_quantum() {
    let found = run(Made { overhead: 24.0, quantum: 279.365, jitter: 0.0 }, 6000, 4, |_| 1.0);
    let (ns, by) = span(&found, 0.001, 1, true);
    near(ns, OF_QUANTUM * 279.365 / 0.001);
    assert_eq!(by, SpanBy::Extrapolated);
    let found = run(Made { overhead: 24.0, quantum: 4e6, jitter: 0.0 }, 600, 5, |_| 1.0);
    assert_eq!(span(&found, 0.01, 1, true), (OF_QUANTUM * 4e8, SpanBy::Quantum));
}

/// A clock that loses or gains by the chance of each chain has an error that grows with it.
#[test]
fn a_share_that_no_length_keeps_has_its_reason_beside_those_that_are_kept() {
    let mut bench = Bench { random: fastrand::Rng::with_seed(7), rate: 1.9, unsteady: 0.0 };
    let mut spans = Spans::default();
    for _ in 0..2000 {
        let mut chains = bench.lot(Made { overhead: 24.0, quantum: 10.0, jitter: 0.0 }, WITNESS);
        for chain in &mut chains {
            chain.counts += (chain.counts as f64 * 0.02 * bench.normal()) as i64;
        }
        spans.timed(&Timed { clock: 0, chains, failed: 0 });
    }
    let found = spans.state("made-up", [0.001, 0.001], Some(Interval::exactly(10.0)), Some(10.0));
    assert!(found.span(0.1, 1, true).is_some() && found.span(0.001, 1, true).is_none(), "{:?}", found.spans);
    assert!(found.missing["spans"].contains("grows with the length"), "{:?}", found.missing);
}

#[test]
fn a_clock_that_takes_a_few_steps_within_the_longest_chain_is_judged_by_its_quantum() {
    let found = run(Made { overhead: 24.0, quantum: 10_000.0, jitter: 0.0 }, 600, 8, |_| 1.0);
    assert_eq!(span(&found, 0.01, 1, true), (OF_QUANTUM * 1e6, SpanBy::Quantum));
    assert!(found.missing["curve"].contains("of its steps"), "{:?}", found.missing);
}

#[test]
fn the_interval_holds_the_truth() {
    let truth = OF_QUANTUM * 10.0 / 0.01;
    let held = (0..200).filter(|seed| {
        let found = run(Made { overhead: 24.0, quantum: 10.0, jitter: 0.0 }, 400, 100 + seed, |_| 1.0);
        let span = found.span(0.01, 1, true).unwrap();
        // What is left of the CPU's unsteadiness may be taken for the clock's: 4 %.
        span.low <= truth * 1.04 && truth * 0.96 <= span.high
    });
    let held = held.count();
    assert!(held >= 186, "{held} of 200");
}

#[test]
fn the_intervals_of_means_hold_the_truth_and_are_no_points() {
    let clock = Made { overhead: 24.0, quantum: 0.001, jitter: 3.0 };
    let truth = 1.96 * 3.0 * 2_f64.sqrt() / 10_f64.sqrt() / 0.01;
    let held = (0..100).filter(|seed| {
        let found = run(clock, 400, 1000 + seed, |_| 1.0);
        let span = found.span(0.01, 10, true).unwrap();
        assert!(span.low < span.ns && span.ns < span.high, "{span:?}");
        span.low <= truth * 1.04 && truth * 0.96 <= span.high
    });
    let held = held.count();
    assert!(held >= 93, "{held} of 100");
    // All chains of a clock without fault are within 10 %: no longer than the shortest of them, and maybe shorter.
    let found = run(Made { overhead: 24.0, quantum: 0.001, jitter: 0.01 }, 6000, 9, |_| 1.0);
    let span = found.span(0.1, 1, true).unwrap();
    assert_eq!((span.by, span.low), (SpanBy::AtMost, 0.0), "{span:?}");
}

#[test]
fn interruptions_are_in_the_error_and_not_in_the_overhead() {
    let clock = Made { overhead: 24.0, quantum: 10.0, jitter: 0.0 };
    let mut bench = Bench { random: fastrand::Rng::with_seed(6), rate: 1.9, unsteady: 0.0 };
    let mut spans = Spans::default();
    for at in 0..3000 {
        let mut chains = bench.lot(clock, WITNESS);
        if at % 50 == 0 {
            chains[3].counts += 3_000_000_000;
            chains[12].witness += 5_000_000_000;
        }
        spans.timed(&Timed { clock: 0, chains, failed: 0 });
    }
    let found = spans.state("made-up", [0.001, 0.001], Some(Interval::exactly(10.0)), Some(10.0));
    near(found.overhead_ns.unwrap().value, 24.0);
    assert!(found.curve[2].sd_ns > 100_000.0 && found.curve[3].sd_ns < 10.0, "{:?}", found.curve);
    near(span(&found, 0.01, 1, true).0, OF_QUANTUM * 10.0 / 0.01);
}

#[test]
fn empty_pairs_are_counted_one_by_one() {
    let mut spans = Spans::default();
    let lot = |counts: &[(i64, u64)], cause: Option<&str>, pinned| Empties {
        clock: 0,
        pinned,
        counts: counts.to_vec(),
        cause: cause.map(Into::into),
        failed: 0,
    };
    spans.empty(&lot(&[(0, 60), (26, 39), (5200, 1)], Some("preempted"), true));
    spans.empty(&lot(&[(26, 100)], None, true));
    spans.empty(&lot(&[(52, 1)], None, false));
    let found = spans.state("tsc", [0.5, 0.5], None, None);
    let [pinned, anywhere] = &found.empty[..] else { panic!("{found:?}") };
    assert_eq!((pinned.pairs, pinned.zero_share, pinned.median_ns, pinned.longest_ns), (200, 0.3, 13.0, 2600.0));
    assert_eq!((pinned.longest_cause.as_deref(), pinned.p99_ns), (Some("preempted"), 13.0));
    assert!((pinned.mean_counts - (139.0 * 26.0 + 5200.0) / 200.0).abs() < 1e-9);
    assert_eq!((anywhere.pairs, anywhere.sd_counts, anywhere.pinned), (1, 0.0, false));
    assert_eq!(found.missing["spans"], "0 lots of chains were timed, and 60 are needed");
}

/// Machines so busy that the lengths of the shortest chains come out below nothing.
#[test]
fn a_length_that_noise_hides_is_no_point() {
    for (seed, quantum) in (0..40).zip([0.01, 10.0, 1000.0].into_iter().cycle()) {
        let clock = Made { overhead: 30.0, quantum, jitter: 20.0 };
        let mut bench = Bench { random: fastrand::Rng::with_seed(seed), rate: 0.2, unsteady: 0.3 };
        let mut spans = Spans::default();
        for _ in 0..80 {
            let chains = bench.lot(clock, Made { jitter: 60.0, ..WITNESS });
            spans.timed(&Timed { clock: 0, chains, failed: 0 });
        }
        let found = spans.state("busy", [0.001, 0.001], Some(Interval::exactly(quantum)), Some(WITNESS.quantum));
        let written = serde_json::to_string(&found).unwrap();
        let read: ClockSpans = serde_json::from_str(&written).unwrap_or_else(|error| panic!("{error}: {written}"));
        assert!(read.curve.iter().all(|point| point.length_ns > 0.0), "{written}");
        assert!(read.spans.iter().all(|span| span.ns > 0.0 && span.low >= 0.0), "{written}");
    }
}

#[test]
fn nothing_is_too_strange() {
    let mut spans = Spans::default();
    for at in 0..100_u32 {
        let strange = [i64::MAX, i64::MIN, 0, -1][at as usize % 4];
        let chains = (0..3).map(|steps| Chain { steps, counts: strange, witness: strange.wrapping_add(7) }).collect();
        spans.timed(&Timed { clock: 0, chains, failed: 0 });
        spans.timed(&Timed { clock: 0, chains: Vec::new(), failed: 3 });
    }
    spans.empty(&Empties { counts: vec![(i64::MIN, u64::MAX), (i64::MAX, 5)], ..Empties::default() });
    let found = spans.state("strange", [f64::INFINITY, 0.0], Some(Interval::exactly(f64::NAN)), None);
    assert_eq!((found.lots, found.failed_reads), (100, 300));
}
