//! Counters whose count is a tick of the hardware.

use super::{Counts, Quantum, quantum};

/// Fewest steps: that so many are all multiples of a number by chance is less likely than one in 2^32.
const FEWEST: usize = 32;

/// The quantum of a counter of whole ticks, `found` being what a lattice or the steps tell.
///
/// Where one was found it stands. Where none stands out, what is left are lattices of a few counts, which
/// rounding would hide; but a tick is not rounded, so that the greatest common divisor of all differences is the
/// quantum, and exactly so. Ticks of which every count occurs may be scaled ones, in which a finer lattice may show.
pub(super) fn whole_ticks(readings: &[u64], found: Quantum) -> Quantum {
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
    // A hypervisor that scales the counter for its guest rounds down, as a unit of time does (KVM: kvm_scale_tsc).
    if divisor == 1
        && let scaled @ Quantum::Found { .. } = quantum(readings, Counts::Units)
    {
        return scaled;
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
