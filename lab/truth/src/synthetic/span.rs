//! The shortest interval within 1 %, of made-up clocks whose quantum, jitter and overhead are known, and so the answer. The witness
//! is coarse, the CPU's speed wanders.

use clockscope_analysis::analyze::span::{OF_QUANTUM, Spans};
use clockscope_analysis::record::Interval;
use clockscope_analysis::trace::{Chain, Timed};

use super::case::{Answer, Case};
use super::noise::{Random, Wander};

/// What 95 % of the answers have to lie within of the analytic one.
pub(super) const WITHIN: f64 = 0.05;

/// What is left of the CPU's unsteadiness in an error, as a share.
const LEFT: f64 = 0.04;

pub(super) const COMMON: &str = "A clock's shortest interval that it times within 1 % in 95 of 100 cases, against the analytic one: 0.776 quanta or \
                                 1.96 √2 jitters over 1 %. The witness steps by 10 ns, the CPU's speed wanders by 5 % and is unsteady by 2 % from \
                                 chain to chain, of which up to 4 % may be left in the error: the interval counts with these.";

/// Work of each chain, steps, as `clockscope span` has it.
const STEPS: [u32; 14] = [0, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000];
/// Chains of each length: about as many as a run keeps.
const LOTS: usize = 8000;
/// Nanoseconds a step, and what the end of a loop takes.
const STEP_NS: f64 = 1.9;
const END_NS: f64 = 4.3;
/// Another chain of the same length takes longer or shorter by this share.
const UNSTEADY: f64 = 0.02;
/// 95 of 100 of normal errors are within so many of their standard deviations.
const Z95: f64 = 1.959_964;

const WITNESS: Made = Made { overhead: 17.0, quantum: 10.0, jitter: 0.3 };

/// A clock: what a start and a stop add, its step, and the standard deviation of the moment of a read, ns.
#[derive(Clone, Copy)]
struct Made {
    overhead: f64,
    quantum: f64,
    jitter: f64,
}

/// `with`: overhead, quantum, jitter.
pub(super) fn cases() -> Vec<Case> {
    let made = [
        ("span for 1 %, quantum 10 ns, overhead 24 ns", [24.0, 10.0, 0.0]),
        ("span for 1 %, quantum 69.841 ns, overhead 35 ns", [35.0, 69.841, 0.0]),
        ("span for 1 %, quantum 0.4 ns, jitter 3 ns, overhead 40 ns", [40.0, 0.4, 3.0]),
    ];
    let case = |(name, [overhead, quantum, jitter]): (&str, [f64; 3])| Case {
        estimator: "span",
        injected: name.into(),
        run,
        truth: truth(Made { overhead, quantum, jitter }),
        with: [overhead, quantum, jitter, 0.0],
        wider: Some("the interval has room for the CPU's unsteadiness, of which the quartiles are taken"),
    };
    made.map(case).into()
}

/// Two independent phases of a quantum, or two normal jitters, whichever there is: 95 of 100 within 1 %.
fn truth(clock: Made) -> f64 {
    let error =
        if clock.jitter > clock.quantum { Z95 * clock.jitter * 2.0_f64.sqrt() } else { OF_QUANTUM * clock.quantum };
    error / 0.01
}

/// How far the clock advances between two moments, ps.
fn timing(clock: Made, [start, stop]: [f64; 2], random: &mut Random) -> i64 {
    let shown = |t: f64| (t / clock.quantum).floor() * clock.quantum;
    let [start, stop] = [start, stop + clock.overhead].map(|t| t + clock.jitter * random.normal());
    ((shown(stop) - shown(start)) * 1000.0).round() as i64
}

fn run(case: &Case, seed: u64) -> Vec<Answer> {
    let [overhead, quantum, jitter, _] = case.with;
    let clock = Made { overhead, quantum, jitter };
    let mut random = Random::new(seed);
    let mut wander = Wander::new(0.05, 300.0, &mut random);
    let mut spans = Spans::default();
    for _ in 0..LOTS {
        let speed = 1.0 + wander.after(1.0, &mut random);
        let chain = |steps: u32| {
            let steps = (f64::from(steps) * random.between(0.5, 1.5)).round() as u32;
            let end = if steps == 0 { 0.0 } else { END_NS };
            let length = (f64::from(steps) * STEP_NS * speed + end) * (1.0 + UNSTEADY * random.normal());
            let start = random.between(1e9, 1.01e9);
            let stop = start + length;
            let counts = timing(clock, [start, stop], &mut random);
            Chain { steps, counts, witness: timing(WITNESS, [start - 12.0, stop + overhead + 9.0], &mut random) }
        };
        spans.timed(&Timed { clock: 0, chains: STEPS.map(chain).to_vec(), failed: 0 });
    }
    let found = spans.state("made-up", [0.001, 0.001], Some(Interval::exactly(quantum)), Some(WITNESS.quantum));
    let span = found.span(0.01, 1, true);
    span.map(|span| Answer {
        truth: case.truth,
        value: span.ns,
        low: span.low * (1.0 - LEFT),
        high: span.high * (1.0 + LEFT),
    })
    .into_iter()
    .collect()
}
