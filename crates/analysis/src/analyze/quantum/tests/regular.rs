//! Reads that are regular, or have a rhythm.

use super::*;

/// Reads of a tight loop that nothing interrupts, each as long as the one before but for 0.4 ns.
#[test]
fn regular_reads_hide_no_lattice() {
    let truth = 10.014_872;
    for cost in [1.2, 1.618, 2.298, 3.37, 5.7] {
        let regular =
            MadeUp { quantum: truth, cost: cost * truth, jitter: 0.4, outliers: 0.0, readings: 65_536, seed: 5 };
        assert_eq!(right_or_silent(&regular.quantum(), truth), Ok(true), "cost {cost} quanta");
    }
}

/// Of a clock whose lattice rounding hides: a loop that takes now `short`, now `long`, but for some jitter. (Two lengths in a
/// ratio of small numbers would be a lattice by themselves.)
#[test]
fn rhythms_name_no_lattice() {
    let mut random = fastrand::Rng::with_seed(3);
    for turn in 0..300 {
        let short = 15.0 + (45.0 * random.f64()).floor();
        let long = short * [1.618, 1.27, 2.414, 1.05][turn % 4];
        let (share, jitter) = ([0.5, 0.2, 0.05][turn % 3], 2.0 * random.f64() * random.f64());
        let mut time = 1e6 * random.f64();
        let readings: Vec<u64> = (0..32_768)
            .map(|_| {
                time += if random.f64() < share { long } else { short } + jitter * random.f64();
                ((time / 0.385_186_4).floor() * 0.385_186_4).floor() as u64
            })
            .collect();
        let found = quantum(&readings, Counts::Units);
        let what = format!("{short} and {long} in {share}, jitter {jitter}");
        assert_eq!(right_or_silent(&found, 0.385_186_4).err(), None, "{what}");
    }
}

/// Here each read takes two quanta, and nothing tells this from one of twice the quantum.
#[test]
fn reads_in_step_with_the_clock_name_no_lattice() {
    let made_up = MadeUp { quantum: 10.0, cost: 20.0, jitter: 0.0, outliers: 0.0, readings: 65_536, seed: 5 };
    let found = made_up.quantum();
    assert!(!matches!(found, Quantum::Found { value, .. } if value != 20.0), "{found:?}");
}

/// Reads of two lengths, as of an emulated device: their differences lie in many heaps, and the line has side lobes almost as
/// high as itself.
#[test]
fn reads_of_two_lengths_hide_no_lattice() {
    for seed in 0..60 {
        let mut random = fastrand::Rng::with_seed(seed);
        let (quantum, often) = ([10.0, 41.667, 69.841_279][seed as usize % 3], 0.6 + 0.35 * random.f64());
        let (short, long) = (1000.0, 1500.0 + 600.0 * random.f64());
        let mut time = 1e9 * random.f64();
        let mut read = || {
            time += if random.f64() < often { short } else { long } + 60.0 * random.f64().powi(2);
            ((time / quantum).floor() * quantum).floor() as u64
        };
        let readings: Vec<u64> = (0..20_000).map(|_| read()).collect();
        let found = super::quantum(&readings, Counts::Units);
        assert_eq!(right_or_silent(&found, quantum), Ok(true), "{quantum}, {seed}, {often}, {long}: {found:?}");
    }
}
