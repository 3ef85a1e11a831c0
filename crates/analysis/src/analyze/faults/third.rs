//! The third clock, which settles whether the witness can be believed.

use super::line::Reading;
use super::terms::Terms;
use crate::trace::Bracketed;

/// What a kernel slews its clock by while it is disciplined, relative: 500 ppm of frequency (MAXFREQ) and 500 ppm by
/// adjtime(3) (MAX_TICKADJ), kernel/time/ntp.c. It permits far more, 10 % by ADJ_TICK and 12.5 % by a phase of half a
/// second (MAXPHASE >> SHIFT_PLL); chrony slews by up to 83,333 ppm if it was told to step nothing.
pub const KERNEL_SLEW: f64 = 1e-3;
/// How far a difference of two readings may be off by the quanta of the two clocks, ns: two counts of the ACPI timer, at
/// 3.579545 MHz the coarsest counter that a kernel's clock rests on; a witness is no coarser.
const SLACK_NS: f64 = 2e9 / 3_579_545.0;

/// Whether the witness and a third clock, the kernel's, that counts ns advanced alike between two bracketed readings of
/// the third: within the brackets, the quanta and [`KERNEL_SLEW`].
///
/// While the kernel slews by more it contradicts a sound witness, over 40 µs by more than 15,000 ppm: then the reads are
/// undecided, which is safe. So they are where the kernel's clock follows the timer tick (clocksource jiffies). Wider
/// bounds would blame the watched clock for the witness's jumps.
pub fn agree(first: Bracketed, second: Bracketed, witness_ns: f64) -> bool {
    let rate = [1.0 - KERNEL_SLEW, 1.0 + KERNEL_SLEW];
    let terms = Terms { witness_ns, rate, slack_ns: SLACK_NS, ..Terms::UNKNOWN };
    let reading = |of: Bracketed| Reading {
        value: of.value,
        at: of.before,
        early: 0.0,
        late: of.width() as f64 * witness_ns,
        wide: false,
    };
    reading(first).meets(&reading(second), &terms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_witness_that_jumps_is_contradicted() {
        let first = Bracketed { before: 1000, value: 500, after: 1060 };
        let second = Bracketed { before: 41_000, value: 20_500, after: 41_060 };
        assert!(agree(first, second, 0.5));
        assert!(!agree(first, Bracketed { before: 51_000, after: 51_060, ..second }, 0.5));
        assert!(!agree(first, Bracketed { before: 900, after: 960, ..second }, 0.5));
        // An interruption between witness and third only widens the bracket.
        assert!(agree(first, Bracketed { after: 9_041_060, ..second }, 0.5));
    }
}
