//! How far the wall clock is ahead of the monotonic one.

use crate::hardware::Hardware;

/// Between these two the difference lies, ns (modulo 2^64).
///
/// On Linux the two clocks are one, slewed alike, and differ by a number that only setting the clock and leap seconds
/// change. So a difference found before is kept as long as nothing contradicts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Offset {
    low: u64,
    width: u64,
}

/// Where the clocks drift apart by themselves (they do off Linux), the difference follows; a difference found more than
/// this outside is a clock that was set. ns.
const DRIFT_NS: u64 = 10_000;

impl Offset {
    /// Reads the monotonic clock, the wall clock and the monotonic one again: about 75 ns. `None`: one of them fails, or
    /// the monotonic one went back. What the first two showed as well.
    pub(crate) fn take(hw: &impl Hardware) -> Option<(Self, u64, i64)> {
        let before = hw.system_ns()?;
        let shown = hw.wall_ns()?;
        let wall = shown as u64;
        let after = hw.system_ns()?;
        // Each shows a time up to its step past.
        let earliest = after.wrapping_add(hw.step_ns().max(1));
        let latest = wall.wrapping_add(hw.wall_step_ns().max(1));
        let low = wall.wrapping_sub(earliest);
        let width = latest.wrapping_sub(before).wrapping_sub(low);
        (width < 1 << 40).then_some((Self { low, width }, before, shown))
    }

    /// The same, of a monotonic clock that is `shift` ahead.
    pub(crate) fn behind(self, shift: u64) -> Self {
        Self { low: self.low.wrapping_sub(shift), ..self }
    }

    /// The difference to go on with after `known` (0: none), and by how much it may be wrong, ns.
    ///
    /// The least that it can be, and more only where that is found too little: found again in a narrower bracket it is never
    /// less than before, so that as long as the clock is not set what is read of it does not go back.
    pub(crate) fn follow(self, known: u64) -> (u64, u64) {
        let high = self.low.wrapping_add(self.width);
        let offset = if self.has(known) {
            known
        } else if known != 0 && known.wrapping_sub(high) <= DRIFT_NS {
            high
        } else {
            self.low
        };
        let above = offset.wrapping_sub(self.low);
        (offset, above.max(self.width - above))
    }

    /// By how much a difference, known to within `off`, has come to be found elsewhere, ns. `None`: the clock was set.
    pub(crate) fn moved(from: u64, to: u64, off: u64) -> Option<u64> {
        let moved = (to.wrapping_sub(from) as i64).unsigned_abs();
        (moved <= off.saturating_add(DRIFT_NS)).then_some(moved)
    }

    /// Whether the difference may be `offset`.
    pub(crate) fn has(self, offset: u64) -> bool {
        offset != 0 && offset.wrapping_sub(self.low) <= self.width
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEN: Offset = Offset { low: 1_000_000, width: 60 };

    #[test]
    fn what_is_not_contradicted_is_kept() {
        assert_eq!(SEEN.follow(1_000_010), (1_000_010, 50));
        assert_eq!(SEEN.follow(1_000_060), (1_000_060, 60));
        assert_eq!(SEEN.follow(0), (1_000_000, 60));
    }

    /// The thread was interrupted before the monotonic clock was read for the second time, or for the first.
    #[test]
    fn found_better_it_is_never_less() {
        const TRUE: u64 = 1_000_020;
        let brackets = [(5000, 5040), (30, 9000), (25, 60), (40, 45), (22, 4000), (1, 50)];
        let mut known = 0;
        for (early, width) in brackets {
            let (next, off) = Offset { low: TRUE - early, width }.follow(known);
            assert!(next >= known && next.abs_diff(TRUE) <= off, "{next} after {known}");
            known = next;
        }
        assert_eq!(known, TRUE - 1);
    }

    #[test]
    fn a_drift_is_followed_by_as_little_as_must_be_and_a_step_at_once() {
        assert_eq!(SEEN.follow(999_999), (1_000_000, 60));
        assert_eq!(SEEN.follow(1_000_061), (1_000_060, 60));
        for known in [900_000, 1_100_000, 1_000_000_000_000_000] {
            assert_eq!(SEEN.follow(known), (1_000_000, 60));
        }
    }

    #[test]
    fn found_elsewhere_within_the_doubt_it_was_not_set() {
        assert_eq!(Offset::moved(1_000_030, 1_000_000, 30), Some(30));
        assert_eq!(Offset::moved(5u64.wrapping_neg(), 10_025, 30), Some(10_030));
        assert_eq!([Offset::moved(0, 10_031, 30), Offset::moved(10_031, 0, 30)], [None, None]);
    }

    #[test]
    fn a_wall_clock_before_1970_or_behind_the_other_is_one_too() {
        let seen = Offset { low: 30u64.wrapping_neg(), width: 60 };
        assert!(seen.has(5u64.wrapping_neg()) && seen.has(30) && !seen.has(31));
        assert_eq!(seen.follow(20u64.wrapping_neg()), (20u64.wrapping_neg(), 50));
    }
}
