//! Made-up clocks, looked at once a second, whose steps and slews are known.

use super::*;

/// What is put in: when, ns, by how much the offset jumps, ns, and by how much the rate changes, ppm.
type Injected = (f64, f64, f64);

/// A clock's noise: of a look, and how often and how far an interruption widens its bracket.
#[derive(Clone, Copy)]
struct Kind {
    noise_ns: f64,
    quantum_ns: f64,
    /// Random walk of the rate, ns/s each second.
    wander: f64,
    every_s: f64,
}

const USUAL: Kind = Kind { noise_ns: 10.0, quantum_ns: 10.0, wander: 0.0, every_s: 1.0 };

fn normal(random: &mut fastrand::Rng) -> f64 {
    (0..12).map(|_| random.f64()).sum::<f64>() - 6.0
}

/// The looks of so many seconds at a clock 40 ppm fast.
fn looks(kind: Kind, seconds: f64, injected: &[Injected], seed: u64) -> impl Iterator<Item = Look> {
    let mut random = fastrand::Rng::with_seed(seed);
    let injected = injected.to_vec();
    let mut rate = 0.0;
    let mut wandered = 0.0;
    (0..(seconds / kind.every_s) as u64).map(move |at| {
        // Woken late by up to a millisecond.
        let at_ns = at as f64 * kind.every_s * 1e9 + random.f64() * 1e5 * random.f64() * 10.0;
        rate += kind.wander * kind.every_s.sqrt() * normal(&mut random);
        wandered += rate * kind.every_s;
        let mut offset = at_ns * 40e-6 + wandered;
        for (from, step, ppm) in &injected {
            if at_ns > *from {
                offset += step + ppm * 1e-6 * (at_ns - from);
            }
        }
        // One look in fifty is interrupted between its stamps: the clock was read anywhere in the bracket.
        let wide = if random.u8(..50) == 0 { 20_000.0 * random.f64() } else { 0.0 };
        let half_ns = 60.0 + 20.0 * random.f64() + wide;
        offset += kind.noise_ns * normal(&mut random) + wide * (2.0 * random.f64() - 1.0);
        let quantum = kind.quantum_ns;
        Look { at_ns, offset_ns: (offset / quantum).floor() * quantum, half_ns }
    })
}

fn found(kind: Kind, seconds: f64, injected: &[Injected], seed: u64) -> Vec<Change> {
    let mut changes = Changes::new(kind.quantum_ns);
    looks(kind, seconds, injected, seed).filter_map(|look| changes.push(look)).collect()
}

/// Seconds at least 30 apart, the first after the noise is learnt.
fn moments(random: &mut fastrand::Rng, count: usize) -> Vec<f64> {
    let share = 3460.0 / count as f64;
    (0..count).map(|at| 90.0 + share * at as f64 + random.f64() * (share - 30.0)).collect()
}

#[test]
fn every_step_of_100_ns_is_found_within_an_interval_and_nothing_else() {
    for seed in 0..40 {
        let mut random = fastrand::Rng::with_seed(seed);
        let sizes = [100.0, -100.0, 137.0, -1e3, 1e6, -3e9, 150.0, 100.0, -120.0, 110.0];
        let injected: Vec<Injected> =
            moments(&mut random, 10).into_iter().zip(sizes).map(|(s, size)| (s * 1e9, size, 0.0)).collect();
        let found = found(USUAL, 3600.0, &injected, 1000 + seed);
        assert_eq!(found.len(), injected.len(), "{seed}: {found:#?} {injected:?}");
        for (found, (at, size, _)) in found.iter().zip(&injected) {
            let step = found.step_ns.unwrap_or_else(|| panic!("{seed}: {found:?} {at} {size}"));
            assert!((found.at_ns - at).abs() <= 1e9, "{seed}: {found:?} {at}");
            assert!((step.value - size).abs() < 40.0, "{seed}: {found:?} {size}");
            assert!(found.slew_ppm.is_none(), "{seed}: {found:?} {size}");
        }
    }
}

#[test]
fn every_slew_of_1_ppm_for_5_s_is_found_within_an_interval_both_its_ends() {
    for seed in 0..40 {
        let mut random = fastrand::Rng::with_seed(seed);
        let rates = [1.0, -1.0, 2.0, -5.0, 500.0, 1.0, -1.0, 100.0];
        let mut injected = Vec::new();
        for (s, ppm) in moments(&mut random, 8).into_iter().zip(rates) {
            injected.extend([(s * 1e9, 0.0, ppm), ((s + 5.0) * 1e9, 0.0, -ppm)]);
        }
        let found = found(USUAL, 3600.0, &injected, 2000 + seed);
        assert_eq!(found.len(), injected.len(), "{seed}: {found:#?} {injected:?}");
        for (found, (at, _, ppm)) in found.iter().zip(&injected) {
            let slew = found.slew_ppm.unwrap_or_else(|| panic!("{seed}: {found:?} {at} {ppm}"));
            assert!((found.at_ns - at).abs() <= 1e9, "{seed}: {found:?} {at}");
            assert!((slew.value - ppm).abs() < 0.1 + 0.02 * ppm.abs(), "{seed}: {found:?} {ppm}");
            assert!(found.step_ns.is_none(), "{seed}: {found:?} {ppm}");
        }
    }
}

#[test]
fn nothing_is_invented_in_ten_clean_hours() {
    let kinds = [
        USUAL,
        Kind { noise_ns: 3.0, quantum_ns: 1.0, ..USUAL },
        Kind { noise_ns: 25.0, quantum_ns: 100.0, ..USUAL },
        // Coarser than its looks are apart in phase: a saw tooth.
        Kind { noise_ns: 10.0, quantum_ns: 4e6, ..USUAL },
        // A rate that wanders as an oscillator's does.
        Kind { wander: 0.1, ..USUAL },
        Kind { wander: 1.0, ..USUAL },
        Kind { every_s: 0.1, ..USUAL },
    ];
    for (at, kind) in kinds.into_iter().enumerate() {
        for seed in 0..3 {
            let invented = found(kind, 36_000.0, &[], 3000 + seed);
            assert!(invented.is_empty(), "{at}, {seed}: {invented:#?}");
        }
    }
}

#[test]
fn a_step_with_a_slew_is_both() {
    let found = found(USUAL, 600.0, &[(300.4e9, 5000.0, 3.0)], 5);
    let [change] = &found[..] else { panic!("{found:?}") };
    let (step, slew) = (change.step_ns.unwrap(), change.slew_ppm.unwrap());
    assert!((slew.value - 3.0).abs() < 0.1 && (step.value - 5000.0).abs() < 2000.0, "{change:?}");
}

#[test]
fn single_looks_far_off_are_no_change() {
    let mut changes = Changes::new(1.0);
    for (at, look) in looks(USUAL, 3600.0, &[], 9).enumerate() {
        // A reading that was wrong by itself, two of them at times, in a bracket like the others.
        let off = if at % 97 < 2 { 3000.0 } else { 0.0 };
        assert_eq!(changes.push(Look { offset_ns: look.offset_ns + off, ..look }), None, "{at}");
    }
    assert!(changes.noise_ns().unwrap() < 20.0 && changes.least_step_ns().unwrap() < 100.0);
}

proptest::proptest! {
    #[test]
    fn no_looks_make_it_panic(looks in proptest::collection::vec(proptest::prelude::any::<[f64; 3]>(), 0..100), quantum: f64) {
        let mut changes = Changes::new(quantum);
        for [at_ns, offset_ns, half_ns] in looks {
            let _ = changes.push(Look { at_ns, offset_ns, half_ns });
        }
    }
}
