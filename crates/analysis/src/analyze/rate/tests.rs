//! Made-up clocks with a known rate: is it found, and does the interval hold it 95 times in 100?

use proptest::prelude::*;

use super::bounds::bounds;
use super::pieces::pieces;
use super::{Quanta, edge, rate};
use crate::trace::Bracketed;

/// A clock that is read some hundred times in some seconds.
#[derive(Debug, Clone)]
struct MadeUp {
    ppm: f64,
    readings: usize,
    spacing_ns: f64,
    bracket_ns: f64,
    /// Standard deviation of the noise of the clock itself, and how alike neighbours are in it.
    noise_ns: f64,
    alike: f64,
    /// Of the clock and of what brackets it.
    quanta_ns: [f64; 2],
    /// Steps: before which reading, how far.
    steps: Vec<(usize, f64)>,
    /// Share of the brackets with an interruption in them.
    interrupted: f64,
}

impl Default for MadeUp {
    fn default() -> Self {
        Self {
            ppm: 12.5,
            readings: 250,
            spacing_ns: 11e6,
            bracket_ns: 150.0,
            noise_ns: 0.0,
            alike: 0.0,
            quanta_ns: [1.0, 1.0],
            steps: Vec::new(),
            interrupted: 0.0,
        }
    }
}

impl MadeUp {
    fn read(&self, seed: u64) -> Vec<Bracketed> {
        let mut random = fastrand::Rng::with_seed(seed);
        // A normal one, near enough.
        let normal = |random: &mut fastrand::Rng| (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
        let cut = |value: f64, quantum: f64| ((value / quantum).floor() * quantum) as u64;
        let (mut at, mut stepped, mut wander) = (1e12, 0.0, normal(&mut random));
        let fresh = (1.0 - self.alike * self.alike).sqrt();
        (0..self.readings)
            .map(|index| {
                at += self.spacing_ns * (1.0 + 0.2 * random.f64());
                stepped += self.steps.iter().filter(|s| s.0 == index).map(|s| s.1).sum::<f64>();
                wander = self.alike * wander + fresh * normal(&mut random);
                let mut width = self.bracket_ns * (1.0 + 0.3 * random.f64());
                let read = at + width * random.f64();
                if random.f64() < self.interrupted {
                    width += 4e6 * random.f64();
                }
                let value = 1e15 + read * (1.0 + self.ppm * 1e-6) + stepped + self.noise_ns * wander;
                let [clock, by] = self.quanta_ns;
                Bracketed { before: cut(at, by), value: cut(value, clock), after: cut(at + width, by) }
            })
            .collect()
    }

    /// The rate of one run, ppm: low, value, high.
    fn measure(&self, seed: u64) -> [f64; 3] {
        let [clock, by] = self.quanta_ns;
        ppm(&self.read(seed), Quanta { clock, by })
    }
}

const EXACT: Quanta = Quanta { clock: 1.0, by: 1.0 };

fn ppm(readings: &[Bracketed], quanta: Quanta) -> [f64; 3] {
    let found = rate(readings, quanta).expect("there are readings");
    [found.low, found.value, found.high].map(|rate| (rate - 1.0) * 1e6)
}

/// How often the interval holds the truth in 1000 runs, and how wide it is at most in all but a few.
#[test]
fn the_interval_holds_the_truth_and_is_no_wider_than_it_need_be() {
    let plain = MadeUp::default();
    let noisy = MadeUp { noise_ns: 2000.0, ..plain.clone() };
    let third: Vec<(usize, f64)> = (3..250).step_by(3).map(|at| (at, 2e6)).collect();
    let coarse = |clock, by| MadeUp { quanta_ns: [clock, by], ..plain.clone() };
    for (what, made_up, widest_ppm) in [
        ("brackets", plain.clone(), 0.02),
        ("noise", noisy.clone(), 3.0),
        ("noise, 5 readings", MadeUp { readings: 5, ..noisy.clone() }, 1000.0),
        ("noise, 40 readings", MadeUp { readings: 40, ..noisy.clone() }, 60.0),
        ("noise with neighbours alike", MadeUp { alike: 0.7, ..noisy }, 8.0),
        ("interruptions", MadeUp { noise_ns: 500.0, interrupted: 0.2, ..plain.clone() }, 1.0),
        ("a step", MadeUp { noise_ns: 500.0, steps: vec![(125, -1e7)], ..plain.clone() }, 2.0),
        ("steps", MadeUp { steps: vec![(30, 1e9), (31, -1e9), (90, 2e4), (200, -1e4)], ..plain.clone() }, 0.2),
        ("a step early, 55 readings", MadeUp { readings: 55, steps: vec![(1, -1e5)], ..plain.clone() }, 0.5),
        ("a step each third reading", MadeUp { steps: third, ..plain.clone() }, 4.0),
        ("quantum of 100 ns", coarse(100.0, 1.0), 0.06),
        ("quanta of 279 ns and 100 ns", coarse(279.365, 100.0), 0.12),
        ("quantum of 1 µs", coarse(1e3, 1.0), 0.22),
        ("quantum of 100 µs", coarse(1e5, 1.0), 11.0),
        ("quantum of 4 ms", coarse(4e6, 1.0), 500.0),
        ("quantum of 10 ms", coarse(1e7, 1.0), 900.0),
    ] {
        let found: Vec<[f64; 3]> = (1..=1000).map(|seed| made_up.measure(seed)).collect();
        let held = found.iter().filter(|[low, _, high]| *low <= made_up.ppm && made_up.ppm <= *high).count();
        assert!(held >= 930, "{what}: {held} of 1000");
        let wide = found.iter().filter(|[low, _, high]| high - low > widest_ppm).count();
        assert!(wide <= 10, "{what}: {wide} of 1000 wider than {widest_ppm}");
    }
}

#[test]
fn read_in_step_with_a_coarse_clock_it_is_not_known_better_than_a_quantum() {
    // Read always just after its tick, a clock that is 100 ppm fast seems to keep time.
    let locked = |i: u64| {
        let t = 1_000_000_000 + i * 12_000_000;
        Bracketed { before: t, value: t, after: t + 100 }
    };
    let locked: Vec<Bracketed> = (0..250).map(locked).collect();
    let [low, _, high] = ppm(&locked, Quanta { clock: 4e6, by: 1.0 });
    assert!(low < -1000.0 && high > 1000.0, "{low} {high}");
}

#[test]
fn a_rate_that_changes_is_not_passed_off_as_one_line() {
    for at in [60, 125, 220] {
        let mut readings = MadeUp { ppm: 0.0, ..MadeUp::default() }.read(5);
        let from = readings[at].before;
        for reading in &mut readings[at..] {
            reading.value += ((reading.before - from) as f64 * 500e-6) as u64;
        }
        let share = (250 - at) as f64 / 250.0;
        let [low, _, high] = ppm(&readings, EXACT);
        assert!(low < 500.0 * share && 500.0 * share < high && high - low > 100.0, "{at}: {low} {high}");
    }
}

/// Reads of 0.8 µs, one each µs, of a clock that moves every 4 ms, each step late by up to 50 µs.
#[test]
fn a_clock_that_moves_with_the_timers_tick_is_known_by_its_edges() {
    let late: Vec<u64> = {
        let mut random = fastrand::Rng::with_seed(7);
        (0..41).map(|_| random.u64(..50)).collect()
    };
    let read = |us: u64| {
        let step = us / 4000;
        let value = if us % 4000 < late[step as usize] { step.max(1) - 1 } else { step };
        Bracketed { before: us * 2500, value: value * 4_000_000, after: us * 2500 + 2000 }
    };
    let edges: Vec<Bracketed> = (1..160_000).filter_map(|us| edge(read(us - 1), read(us))).collect();
    assert_eq!(edges.len(), 39);
    let found = rate(&edges, EXACT).unwrap();
    assert!(found.low <= 0.4 && 0.4 <= found.high && found.high - found.low < 1e-3 * 0.4, "{found:?}");
}

#[test]
fn too_little_or_nonsense_gives_nothing_or_bounds() {
    let readings = MadeUp::default().read(1);
    let back: Vec<Bracketed> = readings.iter().rev().copied().collect();
    for nothing in [&[][..], &readings[..1], &[readings[0]; 9], &back] {
        assert_eq!(rate(nothing, EXACT), None);
    }
    assert_eq!(rate(&readings, Quanta { clock: f64::NAN, by: 1.0 }), None);
    let [low, _, high] = ppm(&readings[..2], EXACT);
    assert!(low <= 12.5 && 12.5 <= high && high - low < 100.0, "{low} {high}");
}

proptest! {
    #[test]
    fn whatever_the_clock_does_the_bounds_hold_its_rate(
        ppm in -600.0..600.0_f64, readings in 30..300_usize, bracket_ns in 20.0..5000.0_f64,
        step in (1..29_usize, prop_oneof![-2e9..-1e5_f64, 1e5..2e9_f64]), interrupted in 0.0..0.5_f64,
        seed: u64,
    ) {
        let made_up = MadeUp { ppm, readings, bracket_ns, steps: vec![step], interrupted, ..MadeUp::default() };
        let readings = made_up.read(seed);
        let slack = EXACT.slack().expect("numbers");
        let bounds = bounds(&pieces(&readings, slack).readings, slack).expect("there are readings").rates;
        let truth = 1.0 + ppm * 1e-6;
        prop_assert!(bounds.low <= truth && truth <= bounds.high, "{bounds:?}");
        let found = rate(&readings, EXACT).expect("there are readings");
        prop_assert!(bounds.low <= found.low && found.high <= bounds.high, "{found:?} in {bounds:?}");
    }

    #[test]
    fn no_readings_make_it_panic(
        readings in prop::collection::vec((any::<u64>(), any::<u64>(), any::<u64>()), 0..40),
        clock in prop_oneof![Just(0.0), Just(f64::NAN), Just(f64::INFINITY), 0.0..1e12_f64],
        by in prop_oneof![Just(-1.0), Just(f64::MAX), 0.0..1e12_f64],
    ) {
        let readings: Vec<Bracketed> =
            readings.into_iter().map(|(before, value, after)| Bracketed { before, value, after }).collect();
        let _ = rate(&readings, Quanta { clock, by });
    }
}

/// A slow reference at the start of a run on a busy machine: some readings over the time, a few of them quick, and then many
/// in a row, all quick, that span a thousandth of it.
#[test]
fn many_quick_reads_in_a_row_don_t_take_the_time_away() {
    for seed in 0..200 {
        let mut random = fastrand::Rng::with_seed(seed);
        let (mut at, mut readings) = (1e9, Vec::new());
        for index in 0..320 {
            let width = if index >= 64 || random.f64() < 0.05 { 1250.0 } else { 2300.0 + 1200.0 * random.f64() };
            at += if index < 64 { 3.5e6 * (0.5 + random.f64()) } else { width };
            let read = at + width * random.f64();
            readings.push(Bracketed { before: at as u64, value: (read / 1000.0) as u64, after: (at + width) as u64 });
        }
        let found = rate(&readings, EXACT).expect("there are readings");
        assert!(found.low < 1e-3 && 1e-3 < found.high, "{seed}: {found:?}");
        assert!(found.high - found.low < 1e-7, "{seed}: {found:?}");
    }
}
