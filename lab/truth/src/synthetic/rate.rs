//! The rate of one clock by another, from made-up bracketed readings.

use clockscope_analysis::analyze::rate::{Quanta, Scale, rate, relative};
use clockscope_analysis::trace::Bracketed;

use super::case::{Answer, Case};
use super::noise::{Interruptions, Random, Wander};

/// Ticks of the witness a ns.
const TICKS: f64 = 2.596_146;
/// The period of the kernel's tick where it has nothing finer than jiffies, ns.
const JIFFY_NS: f64 = 4e6;

/// A run of readings.
struct World {
    estimator: &'static str,
    injected: &'static str,
    /// Readings 0.8 ms apart at first, as the calibration takes them; then 2 to 6 ms apart.
    readings: [usize; 2],
    /// Quanta of the clock and of what brackets it, ns.
    quanta_ns: [f64; 2],
    /// The clock's frequency noise, ppm, and over how many seconds it keeps.
    wander: [f64; 2],
    /// Steps of the clock a second.
    steps: f64,
    /// From some moment of the run on the clock runs faster by this, ppm.
    slew_ppm: f64,
}

const PLAIN: World = World {
    estimator: "",
    injected: "",
    readings: [64, 636],
    quanta_ns: [1.0, 10.0149],
    wander: [0.0, 1.0],
    steps: 0.0,
    slew_ppm: 0.0,
};
const TICK: World = World { estimator: "tick", ..PLAIN };

const WORLDS: [World; 17] = [
    World { injected: "frequency wanders by 0.015 ppm over 0.1 s", wander: [0.015, 0.1], ..PLAIN },
    World { injected: "clock of 1 ns", ..PLAIN },
    World { injected: "frequency wanders by 0.05 ppm over 0.1 s", wander: [0.05, 0.1], ..PLAIN },
    World { injected: "frequency wanders by 0.005 ppm over 0.1 s", wander: [0.005, 0.1], ..PLAIN },
    World { injected: "frequency wanders by 1 ppm over 10 ms", wander: [1.0, 0.01], ..PLAIN },
    World { injected: "clock of 10.015 ns", quanta_ns: [10.015, 10.0149], ..PLAIN },
    World { injected: "clock of 1 µs", quanta_ns: [1000.0, 10.0149], ..PLAIN },
    World { injected: "clock of 4 ms", quanta_ns: [4e6, 10.0149], ..PLAIN },
    World { injected: "clock that steps by 1 µs to 1 ms, 5 times a second", steps: 5.0, ..PLAIN },
    World { injected: "by a clock of 100 ns", quanta_ns: [1.0, 100.0], ..PLAIN },
    World { injected: "slewed by 50 ppm from some moment on", slew_ppm: 50.0, ..PLAIN },
    World { injected: "reference of 1 ns, 56 ms", readings: [64, 0], ..TICK },
    World { injected: "reference of 10 ns, 56 ms", readings: [64, 0], quanta_ns: [10.0, 0.8], ..TICK },
    World { injected: "reference of 100 ns, 56 ms", readings: [64, 0], quanta_ns: [100.0, 10.0149], ..TICK },
    World { injected: "reference of 100 ns, 2.8 s", quanta_ns: [100.0, 10.0149], ..TICK },
    World { injected: "reference of 279 ns, 56 ms", readings: [64, 0], quanta_ns: [279.365, 0.8], ..TICK },
    World { injected: "reference of 279 ns, 2.8 s", quanta_ns: [279.365, 0.8], ..TICK },
];

pub(super) fn cases() -> Vec<Case> {
    let of_readings = WORLDS.iter().enumerate().map(|(place, world)| Case {
        estimator: world.estimator,
        injected: world.injected.into(),
        run: by_readings,
        truth: 1.0 / TICKS,
        with: [place as f64, 0.0, 0.0, 0.0],
        wider: Some(BOUND),
    });
    let of_edges = [40.0, 700.0].map(|edges| Case {
        estimator: "edges",
        injected: format!("{edges} steps of 4 ms, late by up to 50 µs, one in 30 missed"),
        run: of_edges,
        truth: 1.0 / TICKS,
        with: [edges, 0.0, 0.0, 0.0],
        wider: Some(BOUND),
    });
    of_readings.chain(of_edges).collect()
}

pub(super) fn drift() -> Vec<Case> {
    vec![Case {
        estimator: "drift",
        injected: "by a clock trimmed at each tick and slewed by 50 ppm from some moment on".into(),
        run: of_drift,
        truth: -50.0,
        with: [0.0; 4],
        wider: Some(BOUND),
    }]
}

/// Above the table.
pub(super) const COMMON: &str = "A counter of 2.596 GHz against a clock. *Tick*: the counter's own; *edges*: of a clock \
                                of the timer tick, at the moments at which it moves.";
const BOUND: &str = "the brackets and the clock's resolution enter as bounds that all readings share";

/// Ticks of the witness at `ns`, in steps of `quantum_ns`.
fn ticks(ns: f64, quantum_ns: f64) -> u64 {
    let step = (quantum_ns * TICKS).round().max(1.0);
    ((ns * TICKS / step).floor() * step) as u64
}

fn by_readings(case: &Case, seed: u64) -> Vec<Answer> {
    let world = &WORLDS[case.with[0] as usize];
    let [quantum, by] = world.quanta_ns;
    let mut random = Random::new(seed);
    // ns of the clock a tick of the witness.
    let nominal = case.truth * (1.0 + 1e-4 * random.normal());
    let mut wander = Wander::new(world.wander[0] * 1e-6, world.wander[1] * 1e9, &mut random);
    // Both in ns of an ideal clock.
    let (mut now, mut clock) = (0.0, random.between(1e12, 1e13));
    let first = clock;
    let all = world.readings[0] + world.readings[1];
    let slew_from = random.between(0.1, 0.9) * all as f64;
    let mut stepped = 0.0;
    let mut anchors: Vec<Bracketed> = Vec::new();
    for i in 0..all {
        // The calibration's first, then one a round of the other clocks' batches.
        let wait = if i < world.readings[0] { 870e3 } else { random.between(2e6, 6e6) };
        let mut left = wait + Interruptions::QUIET.during(wait, &mut random);
        let slewed = if i as f64 > slew_from { world.slew_ppm * 1e-6 } else { 0.0 };
        while left > 0.0 {
            let piece = f64::min(left, 1e6);
            now += piece;
            clock += piece * (1.0 + slewed + wander.after(piece, &mut random));
            left -= piece;
        }
        if random.uniform() < world.steps * wait / 1e9 {
            stepped += random.log_uniform(1e3, 1e6);
        }
        let before = now;
        let inside = random.between(8.0, 16.0);
        let mut width = random.between(20.0, 28.0) + inside;
        let mut at = inside;
        if random.uniform() < 0.003 {
            let late = random.exponential(5_000.0);
            width += late;
            at += if random.uniform() < 0.5 { late } else { 0.0 };
        }
        let value = ((clock + at + stepped) * nominal * TICKS / quantum).floor() * quantum;
        anchors.push(Bracketed { before: ticks(before, by), value: value as u64, after: ticks(before + width, by) });
        now += width;
        clock += width;
    }
    // What the clock advanced over the run, by the true time that passed.
    let truth = nominal * (clock - first) / now;
    let quanta = Quanta { clock: quantum, by: by * TICKS };
    rate(&anchors, quanta).map(|r| Answer { truth, value: r.value, low: r.low, high: r.high }).into_iter().collect()
}

fn of_edges(case: &Case, seed: u64) -> Vec<Answer> {
    let mut random = Random::new(seed);
    let truth = case.truth * (1.0 + 1e-4 * random.normal());
    let mut now = random.between(0.0, 1e9);
    let mut edges = Vec::new();
    for step in 0..case.with[0] as u64 {
        now += JIFFY_NS / (truth * TICKS);
        if random.uniform() < 1.0 / 30.0 {
            continue;
        }
        // Found late by the interrupt, and between two reads of 0.8 µs, 1 µs apart.
        let at = now + 50e3 * random.uniform() * random.uniform();
        let before = at - 1_800.0 * random.uniform();
        let value = (1 << 50) | (step * JIFFY_NS as u64);
        edges.push(Bracketed { before: ticks(before, 10.0149), value, after: ticks(before + 1_800.0, 10.0149) });
    }
    let quanta = Quanta { clock: 1.0, by: 26.0 };
    rate(&edges, quanta).map(|r| Answer { truth, value: r.value, low: r.low, high: r.high }).into_iter().collect()
}

/// A counter of 2.6 GHz between reads of a kernel's clock, which sets its rate anew at each tick and is slewed.
fn of_drift(case: &Case, seed: u64) -> Vec<Answer> {
    let mut random = Random::new(seed);
    let slew_from = random.between(0.0, 1.0);
    let (mut now, mut kernel) = (0.0, random.between(1e12, 1e13));
    let first = kernel;
    let mut track: Vec<Bracketed> = Vec::new();
    for look in 0..256 {
        let wait = random.between(8e6, 14e6);
        let slewed = if f64::from(look) < 256.0 * slew_from { 0.0 } else { -case.truth * 1e-6 };
        // One unit of the multiplier more or less, tick by tick.
        let trimmed = 1.55e-7 * (random.uniform() - 0.5) / (wait / JIFFY_NS).sqrt();
        now += wait;
        kernel += wait * (1.0 + slewed + trimmed);
        let (inside, width) = (random.between(10.0, 20.0), random.between(30.0, 40.0));
        let [before, after] = [kernel, kernel + width].map(|ns| ((ns / 10.015).floor() * 10.015) as u64);
        track.push(Bracketed { before, value: ticks(now + inside, 10.015), after });
    }
    let truth = (now / (kernel - first) - 1.0) * 1e6;
    let count_ns = 1.0 / TICKS;
    let scale = Scale { count_ns, reference_ns: 1.0, quanta: Quanta { clock: 26.0, by: 10.015 } };
    let found = relative(&track, scale, "monotonic");
    found.map(|r| Answer { truth, value: r.ppm, low: r.low_ppm, high: r.high_ppm }).into_iter().collect()
}
