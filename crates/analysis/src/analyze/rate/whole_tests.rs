//! Made-up clocks with a known rate: is it found, and does the interval hold it 95 times in 100?

use proptest::prelude::*;

use super::whole;
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
    likeness: f64,
    quantum_ns: f64,
    /// Steps: before which reading, how far.
    steps: Vec<(usize, f64)>,
    /// One in so many brackets has an interruption in it, 0: none.
    interrupted: u64,
}

impl Default for MadeUp {
    fn default() -> Self {
        Self {
            ppm: 12.5,
            readings: 250,
            spacing_ns: 11e6,
            bracket_ns: 150.0,
            noise_ns: 0.0,
            likeness: 0.0,
            quantum_ns: 1.0,
            steps: Vec::new(),
            interrupted: 0,
        }
    }
}

struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.uniform()).ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

impl MadeUp {
    fn read(&self, seed: u64) -> Vec<Bracketed> {
        let mut random = Random(seed);
        random.uniform();
        let (mut at, mut stepped, mut wander) = (1e12, 0.0, random.normal());
        let fresh = (1.0 - self.likeness * self.likeness).sqrt();
        (0..self.readings)
            .map(|index| {
                at += self.spacing_ns * (1.0 + 0.2 * random.uniform());
                stepped += self.steps.iter().filter(|s| s.0 == index).map(|s| s.1).sum::<f64>();
                wander = self.likeness * wander + fresh * random.normal();
                let mut width = self.bracket_ns * (1.0 + 0.3 * random.uniform());
                let read = at + width * random.uniform();
                if self.interrupted > 0 && (random.uniform() * self.interrupted as f64) < 1.0 {
                    width += 4e6 * random.uniform();
                }
                let value = 1e15 + read * (1.0 + self.ppm * 1e-6) + stepped + self.noise_ns * wander;
                let value = (value / self.quantum_ns).floor() * self.quantum_ns;
                Bracketed { before: at as u64, value: value as u64, after: (at + width) as u64 }
            })
            .collect()
    }

    /// The rate of one reading, ppm: low, value, high.
    fn measure(&self, seed: u64) -> [f64; 3] {
        let found = whole(&self.read(seed), self.quantum_ns).expect("there are readings");
        [found.low, found.value, found.high].map(|rate| (rate - 1.0) * 1e6)
    }

    /// In how many of 1000 cases the interval holds the truth.
    fn held(&self) -> usize {
        let holds = |seed: &u64| {
            let [low, _, high] = self.measure(*seed * 7919);
            low <= self.ppm && self.ppm <= high
        };
        (1..=1000).filter(holds).count()
    }
}

#[test]
fn a_clock_of_the_same_counter_is_known_to_hundredths_of_a_ppm() {
    let [low, value, high] = MadeUp::default().measure(1);
    assert!(low <= 12.5 && 12.5 <= high && high - low < 0.05, "{low} {value} {high}");
}

#[test]
fn the_interval_holds_the_truth_95_times_in_100() {
    for (what, made_up) in [
        ("brackets", MadeUp::default()),
        ("noise", MadeUp { noise_ns: 2000.0, ..MadeUp::default() }),
        ("few", MadeUp { noise_ns: 2000.0, readings: 40, ..MadeUp::default() }),
        ("wander", MadeUp { noise_ns: 2000.0, likeness: 0.7, ..MadeUp::default() }),
        ("interruptions", MadeUp { noise_ns: 500.0, interrupted: 5, ..MadeUp::default() }),
        ("step", MadeUp { noise_ns: 500.0, steps: vec![(125, -1e7)], ..MadeUp::default() }),
        ("steps", MadeUp { steps: vec![(30, 1e9), (31, -1e9), (90, 2e4), (200, -1e4)], ..MadeUp::default() }),
    ] {
        let held = made_up.held();
        // Of few pairs the likeness can't be told from chance, and widens the interval.
        let most = if what == "few" { 1000 } else { 990 };
        assert!((930..=most).contains(&held), "{what}: {held} of 1000");
    }
}

#[test]
fn a_coarse_clock_is_never_known_too_well() {
    for quantum_ns in [1000.0, 1e5, 4e6, 1e7] {
        let made_up = MadeUp { quantum_ns, ..MadeUp::default() };
        assert!(made_up.held() >= 940, "{quantum_ns}: {}", made_up.held());
        let [low, _, high] = made_up.measure(3);
        assert!(high - low < 2.0 * quantum_ns / 1e9 * 1e6, "{quantum_ns}: {low} {high}");
    }
}

#[test]
fn read_in_step_with_a_coarse_clock_it_is_not_known_better_than_a_quantum() {
    // Read always just after its tick, a clock that is 100 ppm fast seems to keep time.
    let locked: Vec<Bracketed> = (0..250_u64)
        .map(|i| {
            let t = 1_000_000_000 + i * 12_000_000;
            Bracketed { before: t, value: 1_000_000_000 + i * 12_000_000, after: t + 100 }
        })
        .collect();
    let found = whole(&locked, 4e6).unwrap();
    assert!(found.high - 1.0 > 1000e-6 && 1.0 - found.low > 1000e-6, "{found:?}");
}

#[test]
fn a_rate_that_changes_half_way_is_not_passed_off_as_one_line() {
    let mut anchors = MadeUp { ppm: 0.0, ..MadeUp::default() }.read(5);
    let half = anchors[125].before;
    for anchor in &mut anchors[125..] {
        anchor.value += ((anchor.before - half) as f64 * 500e-6) as u64;
    }
    let found = whole(&anchors, 1.0).unwrap();
    let [low, high] = [found.low, found.high].map(|rate| (rate - 1.0) * 1e6);
    assert!(low < 250.0 && 250.0 < high && high - low > 100.0, "{low} {high}");
}

#[test]
fn too_little_or_nonsense_gives_nothing_or_bounds() {
    assert_eq!(whole(&[], 1.0), None);
    let anchors = MadeUp::default().read(1);
    assert_eq!(whole(&anchors[..1], 1.0), None);
    let two = whole(&anchors[..2], 1.0).unwrap();
    assert!(two.low <= 1.000_012_5 && 1.000_012_5 <= two.high, "{two:?}");
    assert_eq!(whole(&[anchors[0]; 9], 1.0), None);
    let back: Vec<Bracketed> = anchors.iter().rev().copied().collect();
    assert_eq!(whole(&back, 1.0), None);
}

proptest! {
    #[test]
    fn whatever_the_clock_does_its_rate_is_found(
        ppm in -600.0..600.0_f64, readings in 30..300_usize, bracket_ns in 20.0..5000.0_f64,
        step in (1..29_usize, prop_oneof![-2e9..-1e5_f64, 1e5..2e9_f64]), interrupted in 0..9_u64, seed in 1..1000_u64,
    ) {
        let made_up =
            MadeUp { ppm, readings, bracket_ns, steps: vec![step], interrupted, ..MadeUp::default() };
        let [low, value, high] = made_up.measure(seed);
        // Hard: 20 % beyond the interval at its usual width is far from what chance does.
        let room = (high - low) * 1.5;
        prop_assert!((value - ppm).abs() <= room, "{low} {value} {high}");
    }

    #[test]
    fn no_readings_make_it_panic(
        readings in prop::collection::vec((any::<u64>(), any::<u64>(), any::<u64>()), 0..40),
        quantum in prop_oneof![Just(0.0), Just(f64::NAN), Just(f64::INFINITY), 0.0..1e12_f64],
    ) {
        let anchors: Vec<Bracketed> =
            readings.into_iter().map(|(before, value, after)| Bracketed { before, value, after }).collect();
        let _ = whole(&anchors, quantum);
    }
}
