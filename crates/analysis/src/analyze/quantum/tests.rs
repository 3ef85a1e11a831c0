//! Estimators against synthetic truth.

use proptest::prelude::*;

use super::*;

mod regular;

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
        let mut random = fastrand::Rng::with_seed(self.seed);
        let phase = random.f64();
        let mut time = 1e9 * random.f64();
        (0..self.readings)
            .map(|_| {
                time += self.cost + self.jitter * random.f64();
                let wrong = if random.f64() < self.outliers { (random.f64() * 1e6).floor() } else { 0.0 };
                let ticks = (time / self.quantum).floor() + phase;
                (ticks * self.quantum + wrong).floor() as u64
            })
            .collect()
    }

    fn quantum(&self) -> Quantum {
        quantum(&self.read(), Counts::Units)
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
            let found = made_up.quantum();
            assert_eq!(right_or_silent(&found, truth), Ok(true), "cost {cost} quanta");
        }
    }
}

#[test]
fn a_fine_lattice_under_a_slow_read_is_found() {
    let made_up = MadeUp { quantum: 10.015, cost: 520.0, jitter: 300.0, outliers: 0.001, readings: 16_384, seed: 3 };
    let Quantum::Found { value, half_width, steps } = made_up.quantum() else { panic!() };
    assert!((value - 10.015).abs() < 1e-5 && half_width < 1e-4 && !steps, "{value} ± {half_width}");
}

/// Rows of all but regular reads with a gap between them, as a survey makes them: the differences lie in two heaps, and
/// the side lobes of the line are nearly as high as the line.
#[test]
fn gaps_between_rows_do_not_hide_a_lattice() {
    for seed in 0..20 {
        let made_up = MadeUp { quantum: 10.0149, cost: 40.0, jitter: 9.0, outliers: 0.0, readings: 16_416, seed };
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
        match quantum(&rows, Counts::Units) {
            Quantum::Found { value, .. } => {
                assert!((value / 10.0149 - 1.0).abs() < 1e-5, "seed {seed}: {value}");
            }
            other => panic!("seed {seed}: {other:?}"),
        }
    }
}

/// What rounding has left a weak line of is named by its strength; the other names of the line are not.
#[test]
fn below_three_counts_the_right_image_is_named() {
    for (truth, readings) in
        [(2.61, 16_384), (2.23, 16_384), (1.2346, 16_384), (0.7692, 16_384), (0.8347, 65_536), (0.4331, 300_000)]
    {
        for (cost, jitter) in [(5.0, 5.0), (22.0, 9.0), (40.0, 60.0), (500.0, 250.0)] {
            let made_up = MadeUp { quantum: truth, cost, jitter, outliers: 0.001, readings, seed: 11 };
            match made_up.quantum() {
                Quantum::Found { value, half_width, steps: false } => {
                    assert!(
                        (value - truth).abs() < 2.0 * half_width && half_width < 1e-5,
                        "{value} ± {half_width}, not {truth}"
                    );
                }
                other => panic!("{truth} under {cost}: {other:?}"),
            }
        }
    }
}

/// Frequencies that are ratios of small numbers have harmonics that lie on each other, and lines of equal strength.
#[test]
fn ratios_of_small_numbers_are_right_or_silent() {
    for (i, truth) in
        [(2, 3), (3, 4), (4, 5), (5, 6), (7, 6), (8, 7), (9, 7), (3, 2), (10, 13), (2, 1)].into_iter().enumerate()
    {
        let truth = f64::from(truth.0) / f64::from(truth.1);
        for cost in [7.0, 31.7, 250.0] {
            let made_up =
                MadeUp { quantum: truth, cost, jitter: 0.3 * cost, outliers: 0.0, readings: 32_768, seed: i as u64 };
            right_or_silent(&made_up.quantum(), truth).unwrap();
        }
    }
}

/// A counter of 2.3 GHz that moves by two ticks, in a beat of 10 ns: some of its values are read nearly twice as often as
/// others, and that leaves lines as strong as those of its quantum, 20/23 ns. Measured: the shares of 23 values.
#[test]
fn reads_that_favour_some_values_name_no_other_quantum() {
    const SHARES: [f64; 23] = [
        0.82, 1.18, 0.82, 1.1, 0.79, 1.19, 1.08, 0.83, 1.2, 1.09, 0.81, 0.81, 1.13, 1.17, 0.81, 0.79, 1.49, 0.82, 0.82,
        1.08, 1.19, 0.85, 1.07,
    ];
    let truth = 20.0 / 23.0;
    for seed in 0..40 {
        let mut random = fastrand::Rng::with_seed(seed);
        let (phase, cost, jitter) = (random.f64(), 18.0 + random.f64(), 40.0 * random.f64());
        let mut time = 1e6 * random.f64();
        let mut read = || {
            time += cost + jitter * random.f64();
            while random.f64() * 1.5 > SHARES[(time / truth) as usize % SHARES.len()] {
                time += truth;
            }
            // The kernel's multiplier is off by some hundredths of a ppm.
            ((time / truth).floor() * truth * (1.0 - 3.6e-8) + phase) as u64
        };
        let readings: Vec<u64> = (0..1 << (14 + seed % 3)).map(|_| read()).collect();
        right_or_silent(&quantum(&readings, Counts::Units), truth).unwrap();
    }
}

#[test]
fn without_a_lattice_the_limit_is_close_to_a_count() {
    // A count, and what is too fine to be seen in whole ones.
    for truth in [1.0, 0.5, 0.01] {
        for cost in [1.5, 5.0, 22.0, 520.0] {
            let made_up = MadeUp { quantum: truth, cost, jitter: cost, outliers: 0.001, readings: 16_384, seed: 5 };
            match made_up.quantum() {
                Quantum::NotCoarserThan(limit) => assert!(limit <= 1.5 || cost < 2.0, "{limit}"),
                Quantum::Found { value, .. } => assert_eq!(value, 1.0),
                Quantum::Unknown(_) => assert!(cost < 2.0, "cost {cost}"),
            }
        }
    }
}

#[test]
fn a_quantum_just_above_a_count_lies_in_the_interval() {
    let made_up =
        MadeUp { quantum: 1.000_987_766, cost: 0.465_421, jitter: 0.0, outliers: 0.0, readings: 8192, seed: 0 };
    let found = made_up.quantum();
    assert_eq!(right_or_silent(&found, made_up.quantum), Ok(true), "{found:?}");
}

#[test]
fn slow_clocks_show_their_steps() {
    let value = |i: u64| (i as f64 * 3_999_999.7) as u64;
    let coarse: Vec<u64> = (0..300).map(|i| value(i + 1) - value(i)).collect();
    let Quantum::Found { value, steps: true, .. } = from_steps(&coarse) else { panic!() };
    assert!((value / 3_999_999.7 - 1.0).abs() < 1e-6, "{value}");
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

/// Steps of one unit bound the quantum from above by how many of them follow one another.
#[test]
fn a_few_steps_of_one_count_are_not_exact() {
    let one = |half_width| Quantum::Found { value: 1.0, half_width, steps: true };
    for (steps, expected) in [
        (&[1][..], Quantum::NotCoarserThan(2.0)),
        (&[1, 2, 1, 2], Quantum::NotCoarserThan(2.0)),
        (&[1, 1, 2, 1, 1, 1], Quantum::NotCoarserThan(1.0 + 1.0 / 3.0)),
        (&[1, 1], one(0.5)),
        (&[1; 100], one(0.01)),
    ] {
        assert_eq!(from_steps(steps), expected, "{steps:?}");
    }
}

#[test]
fn whole_ticks_have_a_divisor() {
    let of = |quantum, cost, readings| {
        let made_up = MadeUp { quantum, cost, jitter: cost, outliers: 0.0, readings, seed: 9 };
        super::quantum(&made_up.read(), Counts::Ticks)
    };
    for (truth, cost) in [(1.0, 1.0), (1.0, 4.0), (1.0, 5000.0), (2.0, 100.0), (40.0, 120.0)] {
        let Quantum::Found { value, half_width, .. } = of(truth, cost, 4096) else { panic!("{truth}, {cost}") };
        assert!((value - truth).abs() <= half_width, "{value} ± {half_width}, not {truth}");
    }
    // Scaled ones.
    let Quantum::Found { value, .. } = of(1.923, 100.0, 1 << 16) else { panic!("1.923") };
    assert!((value - 1.923).abs() < 1e-3, "{value}");
    assert!(matches!(of(1.0, 9.0, 20), Quantum::Unknown(_)));
    let back: Vec<u64> = (0..4096).map(|i| if i == 2000 { 0 } else { i * 50 + i % 7 }).collect();
    assert!(!matches!(super::quantum(&back, Counts::Ticks), Quantum::Found { half_width: 0.0, .. }));
}

#[test]
fn broken_clocks_get_a_reason() {
    for readings in [vec![], vec![3; 5000], (0..5000).rev().collect()] {
        for counts in [Counts::Units, Counts::Ticks] {
            assert!(matches!(quantum(&readings, counts), Quantum::Unknown(_)));
        }
    }
}

#[test]
fn wild_readings_need_no_more_room_than_others() {
    let mut random = fastrand::Rng::with_seed(5);
    let mut at = 0_u64;
    let mut read = || {
        at += if random.bool() { random.u64(1000..1050) } else { (1 << 53) - 1 };
        at
    };
    let readings: Vec<u64> = (0..600).map(|_| read()).collect();
    let far: Vec<u64> = readings.iter().map(|value| value.wrapping_mul(256)).collect();
    for readings in [readings, far] {
        assert!(!matches!(quantum(&readings, Counts::Units), Quantum::Found { .. }));
    }
}

#[test]
fn intervals_hold_the_truth_about_as_often_as_they_say() {
    let mut inside = 0;
    for seed in 0..100 {
        let truth = 20.0 + 0.737 * seed as f64;
        let made_up = MadeUp { quantum: truth, cost: 90.0, jitter: 150.0, outliers: 0.001, readings: 4096, seed };
        let Quantum::Found { value, half_width, .. } = made_up.quantum() else { panic!("seed {seed}") };
        inside += usize::from((value - truth).abs() <= half_width);
    }
    assert!((88..=100).contains(&inside), "{inside} of 100");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn never_a_wrong_number(
        truth in prop_oneof![0.4..3.0_f64, 3.0..1000.0_f64],
        cost in prop_oneof![0.1..10.0_f64, 10.0..200.0_f64],
        jitter in 0.0..1.5_f64,
        outliers in 0.0..0.001_f64,
        seed: u64,
    ) {
        let made_up = MadeUp {
            quantum: truth, cost: cost * truth, jitter: jitter * cost * truth, outliers, readings: 8192, seed,
        };
        let found = made_up.quantum();
        prop_assert!(right_or_silent(&found, truth).is_ok(), "{found:?}, truth {truth}");
    }

    #[test]
    fn any_readings_end_in_an_answer(readings in prop::collection::vec(any::<u64>(), 0..600)) {
        let _ = (quantum(&readings, Counts::Units), quantum(&readings, Counts::Ticks));
        let _ = from_steps(&readings);
    }
}
