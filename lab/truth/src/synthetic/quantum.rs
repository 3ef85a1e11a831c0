//! The quantum, from made-up readings.

use clockscope_analysis::analyze::quantum::{Counts, Quantum, from_steps, quantum};

use super::case::{Answer, Case};
use super::noise::{Interruptions, Random, Wander};

/// Readings that a survey makes of a clock.
const READINGS: usize = 16_384;
/// The kernel's tick, ns, and one unit of its multiplier for a counter of 2.6 GHz, relative: at each tick it sets the
/// rate one unit higher or lower, so that the mean is what its discipline asks for.
const TICK_NS: f64 = 4e6;
const UNIT: f64 = 1.55e-7;

/// `with`: cost of a read, longest pause before it, reads of a row, gap between rows; ns.
pub(super) fn cases() -> Vec<Case> {
    let case = |injected: &str, truth, with, wider| Case {
        estimator: "lattice",
        injected: injected.into(),
        run,
        truth,
        with,
        wider,
    };
    let steps = |injected: &str, truth, with| Case { estimator: "steps", ..case(injected, truth, with, Some(BOUND)) };
    let image = |injected: &str, truth, with| Case { estimator: "image", ..case(injected, truth, with, Some(BOUND)) };
    vec![
        case("10.015 ns by reads of 22 ns", 10.015, [22.2, 16.0, 540.0, 420.0], Some(BOUND)),
        case("10.015 ns by reads of 36 ns, all but regular", 10.015, [36.0, 16.0, 117.0, 420.0], Some(BOUND)),
        case("10.015 ns by reads of 520 ns", 10.015, [520.0, 260.0, 23.0, 700.0], Some(BOUND)),
        case("41.667 ns by reads of 60 ns", 41.667, [60.0, 30.0, 200.0, 420.0], Some(BOUND)),
        case("69.841 ns by reads of 500 ns", 69.841, [500.0, 250.0, 24.0, 700.0], Some(BOUND)),
        case("279.365 ns by reads of 600 ns", 279.365, [600.0, 300.0, 20.0, 700.0], Some(BOUND)),
        image("2.5 ns by reads of 22 ns", 2.5, [22.2, 16.0, 540.0, 420.0]),
        image("1.25 ns by reads of 130 ns", 1.25, [130.0, 65.0, 90.0, 420.0]),
        image("0.769 ns by reads of 22 ns", 10.0 / 13.0, [22.2, 16.0, 540.0, 420.0]),
        image("0.769 ns by reads of 200 ns", 10.0 / 13.0, [200.0, 100.0, 60.0, 420.0]),
        Case { run: run_long, ..image("0.45 ns by reads of 22 ns, 131 072 of them", 0.45, [22.2, 16.0, 540.0, 420.0]) },
        steps("100 ns by reads of 25 ns", 100.0, [25.0, 16.0, 480.0, 420.0]),
        steps("333.333 ns by reads of 30 ns", 1000.0 / 3.0, [30.0, 16.0, 400.0, 420.0]),
        Case {
            estimator: "slow steps",
            injected: "4 ms, seen 300 times between the batches of others".into(),
            run: run_slow,
            truth: 4e6,
            with: [0.0; 4],
            wider: Some(BOUND),
        },
    ]
}

const BOUND: &str =
    "what rounding may hide, and what a kernel that trims its rate at every tick may shift, is added as a bound";

fn run(case: &Case, seed: u64) -> Vec<Answer> {
    run_for(case, seed, READINGS)
}

/// A finer quantum takes a longer run.
fn run_long(case: &Case, seed: u64) -> Vec<Answer> {
    run_for(case, seed, 8 * READINGS)
}

fn run_for(case: &Case, seed: u64, readings: usize) -> Vec<Answer> {
    let [cost, pause, row, gap] = case.with;
    let mut random = Random::new(seed);
    let truth = case.truth * random.between(0.999, 1.001);
    let share = random.uniform();
    let mut next_tick = random.between(0.0, TICK_NS);
    let trimmed = |random: &mut Random| UNIT * if random.uniform() < share { 1.0 - share } else { -share };
    let mut trim = trimmed(&mut random);
    let mut speed = Wander::new(0.003, 200.0, &mut random);
    let phase = random.uniform();
    let mut time = random.between(0.0, 1e9);
    let first = time;
    let mut bent = 0.0;
    let readings: Vec<u64> = (0..readings)
        .map(|i| {
            let work = (cost + random.uniform() * pause) * (1.0 + speed.after(1.0, &mut random));
            let mut passed = work + Interruptions::QUIET.during(work, &mut random);
            if i % row as usize == 0 {
                passed += gap;
            }
            time += passed;
            // The hardware's lattice, in the units of a kernel that bends its rate a little.
            if time - first >= next_tick {
                next_tick += TICK_NS;
                trim = trimmed(&mut random);
            }
            bent += passed * trim;
            let ticks = (time / truth).floor() + phase;
            (ticks * truth + bent).floor() as u64
        })
        .collect();
    // In the clock's own ns, as it was bent over this run.
    answer(truth * (1.0 + bent / (time - first)), &quantum(&readings, Counts::Units))
}

/// A clock of the timer tick: each change seen by reads close together, the tick trimmed by some ppm, ticks late now
/// and then so that the clock makes up for several at once.
fn run_slow(case: &Case, seed: u64) -> Vec<Answer> {
    let mut random = Random::new(seed);
    let truth = case.truth * random.between(0.999, 1.001);
    let mut value = random.between(0.0, 1e9);
    let steps: Vec<u64> = (0..300)
        .map(|_| {
            let before = value.floor();
            let ticks = if random.uniform() < 0.03 { 2.0 } else { 1.0 };
            value += ticks * truth * (1.0 + 1e-7 * random.normal());
            (value.floor() - before) as u64
        })
        .collect();
    answer(truth, &from_steps(&steps))
}

fn answer(truth: f64, found: &Quantum) -> Vec<Answer> {
    match found {
        Quantum::Found { value, half_width, .. } => {
            vec![Answer { truth, value: *value, low: value - half_width, high: value + half_width }]
        }
        Quantum::NotCoarserThan(_) | Quantum::Unknown(_) => Vec::new(),
    }
}
