//! Estimators against synthetic truth.

use proptest::prelude::*;

use super::*;

/// A made-up clock: floor(k q + φ) read about every `cost` ± `jitter`, with a share of gross outliers.
struct MadeUp {
    quantum: f64,
    cost: f64,
    jitter: f64,
    outliers: f64,
    readings: usize,
    seed: u64,
}

impl MadeUp {
    fn read(&self) -> Vec<u64> {
        let mut state = self.seed.wrapping_mul(2).wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut uniform = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let phase = uniform();
        let mut time = 1e9 * uniform();
        (0..self.readings)
            .map(|_| {
                time += self.cost + self.jitter * uniform();
                let wrong = if uniform() < self.outliers { (uniform() * 1e6).floor() } else { 0.0 };
                let ticks = (time / self.quantum).floor() + phase;
                (ticks * self.quantum + wrong).floor() as u64
            })
            .collect()
    }
}

/// Right within 0.01 %, or not resolvable; never a wrong number.
fn right_or_silent(found: &Quantum, truth: f64) -> Result<bool, String> {
    match found {
        Quantum::Found { value, .. } if (value / truth - 1.0).abs() < 1e-4 => Ok(true),
        // Whole counts, of a quantum a thousandth above one count at most: the interval says so.
        Quantum::Found { value, half_width, .. } if *value == 1.0 && truth - value <= *half_width => Ok(true),
        Quantum::NotCoarserThan(limit) if *limit >= truth => Ok(false),
        Quantum::Unknown(_) => Ok(false),
        wrong => Err(format!("{wrong:?}, truth {truth}")),
    }
}

const TRUTHS: [f64; 5] = [69.841_279, 279.365_115, 41.666_667, 100.0, 466.5];

#[test]
fn known_hardware_is_found_at_every_cost() {
    for truth in TRUTHS {
        for cost in [0.1, 0.3, 0.7, 1.0, 1.5, 2.3, 3.7, 5.0, 7.1, 10.0] {
            let made_up = MadeUp {
                quantum: truth,
                cost: cost * truth,
                jitter: cost * truth,
                outliers: 0.001,
                readings: 32_768,
                seed: 7,
            };
            let found = quantum(&made_up.read());
            assert_eq!(right_or_silent(&found, truth), Ok(true), "cost {cost} quanta");
        }
    }
}

#[test]
fn a_fine_lattice_under_a_slow_read_is_found() {
    let made_up =
        MadeUp { quantum: 10.015, cost: 520.0, jitter: 300.0, outliers: 0.001, readings: 16_384, seed: 3 };
    let Quantum::Found { value, half_width, steps } = quantum(&made_up.read()) else { panic!() };
    assert!((value - 10.015).abs() < 1e-5 && half_width < 1e-4 && !steps, "{value} ± {half_width}");
}

/// Rows of all but regular reads with a gap between them, as a survey makes them: the differences lie in two heaps, and
/// the side lobes of the line are nearly as high as the line.
#[test]
fn gaps_between_rows_do_not_hide_a_lattice() {
    for seed in 0..20 {
        let made_up =
            MadeUp { quantum: 10.0149, cost: 40.0, jitter: 9.0, outliers: 0.0, readings: 16_416, seed };
        let mut gaps = 0;
        let rows: Vec<u64> = (0..)
            .zip(made_up.read())
            .map(|(i, value)| {
                if i % 228 == 0 && i > 0 {
                    gaps += 39 + (i / 228 * 7) % 13;
                }
                value + (f64::from(gaps) * 10.0149) as u64
            })
            .collect();
        match quantum(&rows) {
            Quantum::Found { value, .. } => {
                assert!((value / 10.0149 - 1.0).abs() < 1e-5, "seed {seed}: {value}");
            }
            other => panic!("seed {seed}: {other:?}"),
        }
    }
}

#[test]
fn whole_counts_have_no_lattice() {
    for cost in [1.5, 5.0, 22.0, 520.0] {
        let made_up = MadeUp { quantum: 1.0, cost, jitter: cost, outliers: 0.001, readings: 32_768, seed: 5 };
        match quantum(&made_up.read()) {
            Quantum::NotCoarserThan(limit) => assert!(limit <= 3.5, "{limit}"),
            Quantum::Found { value, .. } => assert_eq!(value, 1.0),
            Quantum::Unknown(_) => assert!(cost < 2.0, "cost {cost}"),
        }
    }
}

#[test]
fn a_quantum_just_above_a_count_lies_in_the_interval() {
    let made_up = MadeUp {
        quantum: 1.000_987_766,
        cost: 0.465_421,
        jitter: 0.0,
        outliers: 0.0,
        readings: 8192,
        seed: 0,
    };
    let found = quantum(&made_up.read());
    assert_eq!(right_or_silent(&found, made_up.quantum), Ok(true), "{found:?}");
}

#[test]
fn slow_clocks_show_their_steps() {
    let value = |i: u64| (i as f64 * 3_999_999.7) as u64;
    let coarse: Vec<u64> = (0..300).map(|i| value(i + 1) - value(i)).collect();
    let Quantum::Found { value, steps: true, .. } = from_steps(&coarse) else { panic!() };
    assert!((value / 3_999_999.7 - 1.0).abs() < 1e-6, "{value}");
    assert_eq!(from_steps(&[1, 1]), Quantum::Found { value: 1.0, half_width: 0.0, steps: true });
    assert_eq!(from_steps(&[4_000_000]), Quantum::NotCoarserThan(4_000_000.0));
    assert!(matches!(from_steps(&[]), Quantum::Unknown(_)));
    // Ticks that came late, so that the clock made up for several at once, do not hide the single ones.
    let late = [8_000_000, 8_000_000, 4_000_000, 8_000_000, 12_000_000, 8_000_000, 8_000_001, 16_000_000];
    match from_steps(&late) {
        Quantum::Found { value, .. } => assert!((value - 4e6).abs() < 1.0, "{value}"),
        Quantum::NotCoarserThan(limit) => assert_eq!(limit, 4e6),
        Quantum::Unknown(why) => panic!("{why}"),
    }
}

#[test]
fn broken_clocks_get_a_reason() {
    assert!(matches!(quantum(&[]), Quantum::Unknown(_)));
    assert!(matches!(quantum(&vec![3; 5000]), Quantum::Unknown(_)));
    let backwards: Vec<u64> = (0..5000).rev().collect();
    assert!(matches!(quantum(&backwards), Quantum::Unknown(_)));
}

#[test]
fn intervals_hold_the_truth_about_as_often_as_they_say() {
    let mut inside = 0;
    for seed in 0..100 {
        let truth = 20.0 + 0.737 * seed as f64;
        let made_up =
            MadeUp { quantum: truth, cost: 90.0, jitter: 150.0, outliers: 0.001, readings: 4096, seed };
        let Quantum::Found { value, half_width, .. } = quantum(&made_up.read()) else {
            panic!("seed {seed}")
        };
        inside += usize::from((value - truth).abs() <= half_width);
    }
    assert!((88..=100).contains(&inside), "{inside} of 100");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn never_a_wrong_number(
        truth in prop_oneof![1.0..5.0_f64, 5.0..1000.0_f64],
        cost in 0.1..10.0_f64,
        jitter in 0.0..1.5_f64,
        outliers in 0.0..0.001_f64,
        seed: u64,
    ) {
        let made_up = MadeUp {
            quantum: truth, cost: cost * truth, jitter: jitter * cost * truth, outliers, readings: 8192, seed,
        };
        let found = quantum(&made_up.read());
        prop_assert!(right_or_silent(&found, truth).is_ok(), "{found:?}, truth {truth}");
    }

    #[test]
    fn any_readings_end_in_an_answer(readings in prop::collection::vec(any::<u64>(), 0..600)) {
        let _ = quantum(&readings);
        let _ = from_steps(&readings);
    }
}
