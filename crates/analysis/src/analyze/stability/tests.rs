//! Beside allantools and NIST's published values. reference.py wrote reference.json.

use proptest::prelude::*;
use serde_json::Value;

use super::freedom::freedom;
use super::{EXACT, Stability};

/// The generator of NIST SP 1065, 12.4.
fn generator() -> impl FnMut() -> f64 {
    let mut n: u64 = 1_234_567_890;
    move || {
        let value = n as f64 / 2_147_483_647.0;
        n = 16807 * n % 2_147_483_647;
        value
    }
}

/// Phases, s, of the 1000 values of frequency.
fn nist() -> Vec<f64> {
    let mut draw = generator();
    let mut phases = vec![0.0];
    for at in 0..1000 {
        phases.push(phases[at] + draw());
    }
    phases
}

/// White noise of phase on a random walk of it.
fn mixed() -> Vec<f64> {
    let (mut draw, mut walk) = (generator(), 0.0);
    let mut next = || {
        walk += draw() - 0.5;
        walk + 5.0 * draw()
    };
    (0..5000).map(|_| next()).collect()
}

/// Of phases in s that are 1 s apart.
fn stability(phases: &[f64], factors: &[usize]) -> Stability {
    let mut found = Stability::with(1e9, factors.to_vec());
    for phase in phases {
        found.push(phase * 1e9);
    }
    found
}

fn reference() -> Value {
    serde_json::from_str(include_str!("reference.json")).unwrap()
}

#[test]
fn deviations_are_allantools_to_a_billionth() {
    for (name, phases) in [("nist", nist()), ("mixed", mixed())] {
        let rows = reference()[name].as_array().unwrap().clone();
        let factors: Vec<usize> = rows.iter().map(|row| row["m"].as_u64().unwrap() as usize).collect();
        let found = stability(&phases, &factors).table();
        assert!(found.len() >= rows.len());
        for (row, found) in rows.iter().zip(found) {
            assert_eq!(found.tau_s, row["m"].as_f64().unwrap());
            let ours = [
                ("adev", found.adev.map(|it| it.value), 1.0),
                ("mdev", found.mdev.map(|it| it.value), 1.0),
                ("tdev", found.tdev_ns.map(|it| it.value), 1e9),
                ("mtie", found.mtie_ns, 1e9),
            ];
            for (what, ours, scale) in ours {
                // Windows grow by halves.
                if what == "mtie" && !(found.tau_s as u64).is_power_of_two() {
                    continue;
                }
                let (ours, theirs) = (ours.map(|value| value / scale), row[what].as_f64());
                let same = ours.zip(theirs).is_some_and(|(ours, theirs)| (ours / theirs - 1.0).abs() < 1e-9);
                assert!(same, "{name}, {} steps, {what}: {ours:?} {theirs:?}", row["m"]);
            }
        }
    }
}

#[test]
fn deviations_of_nists_series_are_those_published() {
    let found = stability(&nist(), &[1, 10, 100]).table();
    let published = [
        (2.922_319e-1, 2.922_319e-1, 1.687_202e-1),
        (9.159_953e-2, 6.172_376e-2, 3.563_623e-1),
        (3.241_343e-2, 2.170_921e-2, 1.253_382),
    ];
    for (found, (adev, mdev, tdev)) in found.iter().zip(published) {
        let ours = [(found.adev, 1.0), (found.mdev, 1.0), (found.tdev_ns, 1e9)];
        let ours = ours.map(|(found, scale)| found.unwrap().value / scale);
        for (ours, theirs) in ours.into_iter().zip([adev, mdev, tdev]) {
            assert!((ours / theirs - 1.0).abs() < 5e-7, "{} s: {ours} {theirs}", found.tau_s);
        }
    }
}

#[test]
fn degrees_of_freedom_are_greenhalls() {
    for row in reference()["freedom"].as_array().unwrap() {
        let number = |name: &str| row[name].as_u64().unwrap();
        let law = row["alpha"].as_i64().unwrap() as i32;
        let ours = freedom(law, number("m"), number("n"), row["modified"].as_bool().unwrap()).unwrap();
        let theirs = row["edf"].as_f64().unwrap();
        // allantools takes less exact forms of long sums.
        let most = if number("m") <= 16 { 1e-3 } else { 0.05 };
        assert!((ours / theirs - 1.0).abs() < most, "{row}: {ours}");
    }
}

#[test]
fn intervals_hold_the_truth_and_the_law_is_told() {
    let mut random = fastrand::Rng::with_seed(7);
    let (mut held, mut of, mut told) = (0_u32, 0_u32, 0_u32);
    for _ in 0..200 {
        // White FM of 1e-9 at 1 s: adev = 1e-9 / √tau.
        let mut phase = 0.0;
        let mut found = Stability::new(1e9);
        for _ in 0..1000 {
            phase += (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
            found.push(phase);
        }
        for row in found.table().iter().take(8) {
            let truth = 1e-9 / row.tau_s.sqrt();
            let Some((low, high)) = row.adev.and_then(|it| it.low.zip(it.high)) else { continue };
            held += u32::from(low <= truth && truth <= high);
            told += u32::from(row.noise.as_deref() == Some("white FM"));
            of += 1;
        }
    }
    let share = f64::from(held) / f64::from(of);
    assert!((0.92..=0.98).contains(&share), "{share}");
    assert!(f64::from(told) > 0.7 * f64::from(of), "{told} of {of}");
}

/// Beyond 1024 steps windows begin less often: still the same figure, within its own uncertainty.
#[test]
fn long_averaging_times_are_estimated_from_fewer_windows() {
    let mut random = fastrand::Rng::with_seed(3);
    let mut found = Stability::new(1e9);
    let mut phases = Vec::new();
    let mut phase = 0.0;
    for _ in 0..40_000 {
        phase += random.f64() - 0.5;
        phases.push(phase);
        found.push(phase);
    }
    let m = 4 * EXACT;
    let row = found.table().into_iter().find(|row| row.tau_s == m as f64).unwrap();
    let all: Vec<f64> = phases.windows(2 * m + 1).map(|w| w[0] - 2.0 * w[m] + w[2 * m]).collect();
    let exact = (all.iter().map(|d| d * d).sum::<f64>() / all.len() as f64 / 2.0).sqrt() / (m as f64 * 1e9);
    assert!((row.adev.unwrap().value / exact - 1.0).abs() < 0.01, "{row:?} {exact}");
    let range = |w: &[f64]| w.iter().copied().fold(f64::MIN, f64::max) - w.iter().copied().fold(f64::MAX, f64::min);
    let exact = phases.windows(m + 1).step_by(4).map(range).fold(0.0, f64::max);
    let mtie = row.mtie_ns.unwrap();
    assert!((mtie / exact - 1.0).abs() < 1e-12, "{mtie} {exact}");
}

proptest! {
    #[test]
    fn no_series_makes_it_panic(phases in prop::collection::vec(any::<f64>(), 0..200), step: f64) {
        let mut found = Stability::new(step);
        for phase in phases {
            found.push(phase);
        }
        let _ = found.table();
    }
}
