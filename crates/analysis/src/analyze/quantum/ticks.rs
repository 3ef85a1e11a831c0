//! Counters whose count is a tick of the hardware.

use super::Quantum;

/// Fewest steps: that so many are all multiples of a number by chance is less likely than one in 2^32.
const FEWEST: usize = 32;

/// The quantum of a counter of whole ticks, `found` being what [`quantum`](super::quantum) made of the readings.
///
/// Where that has found a lattice it stands. Where none stands out, what is left are lattices of a few counts, which
/// rounding would hide; but a tick is not rounded, so that the greatest common divisor of all differences is the
/// quantum, and exactly so.
pub fn whole_ticks(readings: &[u64], found: Quantum) -> Quantum {
    if matches!(found, Quantum::Found { .. }) {
        return found;
    }
    let mut steps = 0;
    let mut divisor = 0;
    let mut smallest = u64::MAX;
    for pair in readings.windows(2) {
        let step = pair[1].wrapping_sub(pair[0]);
        if step == 0 {
            continue;
        }
        if (step as i64) < 0 {
            return found;
        }
        steps += 1;
        divisor = common(divisor, step);
        smallest = smallest.min(step);
    }
    if steps < FEWEST {
        return found;
    }
    Quantum::Found { value: divisor as f64, half_width: 0.0, steps: divisor == smallest }
}

/// Greatest common divisor.
fn common(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::super::quantum;
    use super::*;

    /// Readings of a counter that moves in steps of `step` counts, about `apart` of them apart.
    fn readings(step: u64, apart: u64, n: u64) -> Vec<u64> {
        let (mut random, mut now) = (7u64, 1000);
        let mut next = || {
            // Knuth's MMIX generator.
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            now += apart + (random >> 33) % (apart + 1);
            now * step
        };
        (0..n).map(|_| next()).collect()
    }

    fn ticks(readings: &[u64]) -> Quantum {
        whole_ticks(readings, quantum(readings))
    }

    #[test]
    fn one_count_however_far_apart_the_reads() {
        for apart in [1, 2, 4, 100, 5000] {
            let seen = ticks(&readings(1, apart, 4096));
            assert!(
                matches!(seen, Quantum::Found { value: 1.0, half_width: 0.0, .. }),
                "{apart} counts apart: {seen:?}"
            );
        }
    }

    #[test]
    fn two_counts_are_not_one() {
        let seen = ticks(&readings(2, 50, 4096));
        assert!(matches!(seen, Quantum::Found { value: 2.0, .. }), "{seen:?}");
    }

    #[test]
    fn a_coarser_lattice_stands_as_it_was_found() {
        let seen = ticks(&readings(40, 3, 4096));
        let Quantum::Found { value, half_width, .. } = seen else { panic!("{seen:?}") };
        assert!((value - 40.0).abs() <= half_width.max(1e-3), "{value} ± {half_width}");
    }

    #[test]
    fn little_or_wrong_evidence_tells_nothing_more() {
        assert!(matches!(ticks(&readings(1, 9, 20)), Quantum::Unknown(_)));
        assert!(matches!(ticks(&vec![5; 4096]), Quantum::Unknown(_)));
        assert!(matches!(ticks(&[]), Quantum::Unknown(_)));
        let mut back = readings(1, 50, 4096);
        back[2000] = 0;
        assert!(!matches!(ticks(&back), Quantum::Found { half_width: 0.0, .. }));
    }
}
