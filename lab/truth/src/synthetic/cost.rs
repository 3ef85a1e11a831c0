//! The cost, from made-up pairs of batches.

use clockscope_analysis::analyze::cost::{Pair, cost, tail};
use clockscope_analysis::record::Cost;
use hdrhistogram::Histogram;

use super::case::{Answer, Case};
use super::noise::{Interruptions, Random, Wander};

/// The witness's quantum on a recent AMD machine, ns.
const TIMER_NS: f64 = 10.0149;
/// Pairs that a survey of all clocks makes of each.
const PAIRS: usize = 500;

/// `with`: deviation of the CPU's frequency, pairs over which it keeps it, white jitter of a batch, load (0 or 1).
pub(super) fn cases() -> Vec<Case> {
    let case =
        |injected: &str, truth, with, wider| Case { estimator: "", injected: injected.into(), run, truth, with, wider };
    let tail = |injected: &str, with| Case {
        estimator: "p99",
        run: run_tail,
        ..case(injected, 22.18 + TAIL_NS, with, Some(TAIL))
    };
    vec![
        tail("2000 reads, timer of 10 ns", [2_000.0, TIMER_NS, 0.0, 0.0]),
        tail("50 000 reads, timer of 10 ns", [50_000.0, TIMER_NS, 0.0, 0.0]),
        tail("2000 reads, timer of 1 ns", [2_000.0, 1.0, 0.0, 0.0]),
        case("22.18 ns, jitter 0.3 %, timer interrupts", 22.18, [0.0, 1.0, 0.003, 0.0], Some(GRAIN)),
        case("22.18 ns, frequency wanders by 0.5 % over 3 pairs", 22.18, [0.005, 3.0, 0.002, 0.0], None),
        case("22.18 ns, frequency wanders by 0.5 % over 15 pairs", 22.18, [0.005, 15.0, 0.002, 0.0], None),
        case("22.18 ns, two busy loops on the CPU", 22.18, [0.002, 3.0, 0.003, 1.0], Some(GRAIN)),
        case("4.6 ns, jitter 0.3 %", 4.6, [0.0, 1.0, 0.003, 0.0], Some(GRAIN)),
        case("520 ns, frequency wanders by 1 % over 5 pairs", 520.0, [0.01, 5.0, 0.01, 0.0], None),
        case("3.48 µs, jitter 1 %", 3480.0, [0.0, 1.0, 0.01, 0.0], None),
    ]
}

/// Above the table.
pub(super) const COMMON: &str =
    "The cost of a read; *p99*: its 99th percentile, where 3 % of the reads are longer by 50 ns on average.";
const TAIL: &str = "a step of the witness is added as a bound";
/// Of reads of which 97 % vary evenly by 4 ns and 3 % are longer than all of those by 50 ns on average, exponentially:
/// how far the 99th percentile lies from the median.
const TAIL_NS: f64 = 4.0 - 4.0 * 0.5 / 0.97 + 50.0 * 1.098_612_288_668_11;

const GRAIN: &str =
    "the witness moves in steps of 10 ns, and where all batches fall on one step, half a step is the width";

fn run(case: &Case, seed: u64) -> Vec<Answer> {
    let [deviation, length, jitter, load] = case.with;
    let mut random = Random::new(seed);
    // A truth of its own for each seed, so that no rounding repeats itself.
    let truth = case.truth * random.between(0.99, 1.01);
    let mut frequency = Wander::new(deviation, length, &mut random);
    let interruptions = if load > 0.0 { Interruptions::LOADED } else { Interruptions::QUIET };
    let reads = (9_000.0 / truth).clamp(1.0, 512.0) as u32;
    let mut now = random.between(0.0, 1e9);
    let pairs: Vec<Pair> = (0..PAIRS)
        .map(|_| {
            let each = truth * (1.0 + frequency.after(1.0, &mut random));
            let mut batch = |reads: f64| {
                let work = 30.0 + reads * each * (1.0 + jitter * random.normal() / reads.sqrt().min(10.0));
                let time = work + interruptions.during(work, &mut random);
                now += random.between(100.0, 5_000.0);
                let stamp = |t: f64| (t / TIMER_NS).floor() * TIMER_NS;
                let measured = stamp(now + time) - stamp(now);
                now += time;
                measured
            };
            let (once_ns, twice_ns) = (batch(f64::from(reads)), batch(2.0 * f64::from(reads)));
            Pair { reads, once_ns, twice_ns }
        })
        .collect();
    let Some(found) = cost(&pairs, TIMER_NS) else { return Vec::new() };
    vec![Answer { truth, value: found.median, low: found.low, high: found.high }]
}

/// `with`: reads, and the quantum of the witness, ns.
fn run_tail(case: &Case, seed: u64) -> Vec<Answer> {
    let [reads, timer, ..] = case.with;
    let mut random = Random::new(seed);
    let median = 22.18 * random.between(0.99, 1.01);
    let mut widths = Histogram::new(2).expect("2 significant digits are within the crate's 0 to 5");
    // In whole counts, as a counter of 2.6 GHz has them.
    let count_ns = 1.0 / 2.6;
    let step = (timer / count_ns).round() * count_ns;
    for _ in 0..reads as u64 {
        let long = if random.uniform() < 0.03 { 4.0 + random.exponential(50.0) } else { 4.0 * random.uniform() };
        let before = random.between(0.0, 1e6);
        let stamp = |ns: f64| (ns / step).floor() * step;
        let width = (stamp(before + 30.0 + long) - stamp(before)) / count_ns;
        let _ = widths.record(width.round() as u64);
    }
    let mut cost = Cost { median, low: 0.999 * median, high: 1.001 * median, ..Cost::default() };
    tail(&mut cost, &widths, count_ns, step);
    let Some(((value, low), high)) = cost.p99.zip(cost.p99_low).zip(cost.p99_high) else { return Vec::new() };
    vec![Answer { truth: median + TAIL_NS, value, low, high }]
}
