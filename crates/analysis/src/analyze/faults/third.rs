//! The third clock, which settles whether the witness can be believed.

use crate::trace::Bracketed;

/// Whether the witness and a third clock that counts ns advanced alike between two bracketed readings of the third:
/// within the brackets, half a microsecond, and 600 ppm, for the kernel may be slewing its clock.
pub fn agree(first: Bracketed, second: Bracketed, witness_ns: f64) -> bool {
    let ns = |later: u64, earlier: u64| later.wrapping_sub(earlier) as i64 as f64 * witness_ns;
    let third = second.value.wrapping_sub(first.value) as i64 as f64;
    let (shortest, longest) = (ns(second.before, first.after), ns(second.after, first.before));
    let slack = 500.0 + longest.abs() * 600e-6;
    (shortest - slack..=longest + slack).contains(&third)
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
