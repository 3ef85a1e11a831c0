//! A point in UNIX time.

use core::{fmt, time::Duration};

use super::UtcReading;
use crate::{clock::CLOCK, native::Native};

/// A point in UTC, as UNIX time in nanoseconds: from 1677 to 2262. Eight bytes.
///
/// UNIX time has no name for a leap second: 23:59:60 shows as 23:59:59 once more, so two points in UTC a second apart
/// compare equal there. Where the kernel has announced one, the bounds are wider by a second within 20 s of the day's end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UtcInstant {
    ns: i64,
}

impl UtcInstant {
    /// 1970-01-01 00:00:00.
    pub const UNIX_EPOCH: Self = Self { ns: 0 };

    /// Now, by the system's wall clock (`CLOCK_REALTIME`): as [`SystemTime::now`](std::time::SystemTime::now).
    ///
    /// It goes back, or ahead, when that clock is set and at leap seconds; a reading shows so within 2 ms, and after a
    /// pause at once. Between such times it is as ordered as [`Instant::now`](crate::Instant::now): on Linux the two run
    /// alike, elsewhere it follows the wall clock's own rate and may go back by what that is slewed by in 2 ms. It may also
    /// go back by its [uncertainty](UtcReading::uncertainty), once, when the counter is given up.
    ///
    /// Costs what `Instant::now` costs. The first reading also costs what its first one does.
    #[inline]
    pub fn now() -> Self {
        Self { ns: CLOCK.wall(&Native) }
    }

    /// Now, with what is known of how far that is from UTC.
    ///
    /// Costs about 1.1 × `now`; once in each line (2 ms) one such reading asks for the wall clock's accuracy, by default
    /// the kernel (two system calls, 1 to 6 µs). Where the counter is not used, each one does.
    #[inline]
    pub fn now_with_bounds() -> UtcReading {
        UtcReading::of(CLOCK.wall_with_bounds(&Native))
    }

    /// The point `ns` nanoseconds of UNIX time after 1970; negative: before.
    #[inline]
    pub const fn from_unix_nanos(ns: i64) -> Self {
        Self { ns }
    }

    /// Nanoseconds of UNIX time since 1970; negative before.
    #[inline]
    pub const fn as_unix_nanos(self) -> i64 {
        self.ns
    }

    /// This plus `duration`; `None` where that can't be represented.
    #[inline]
    #[must_use]
    pub fn checked_add(self, duration: Duration) -> Option<Self> {
        let ns = u64::try_from(duration.as_nanos()).ok()?;
        Some(Self { ns: self.ns.checked_add_unsigned(ns)? })
    }

    /// This minus `duration`; `None` where that can't be represented.
    #[inline]
    #[must_use]
    pub fn checked_sub(self, duration: Duration) -> Option<Self> {
        let ns = u64::try_from(duration.as_nanos()).ok()?;
        Some(Self { ns: self.ns.checked_sub_unsigned(ns)? })
    }

    /// UNIX time from `earlier` to this; `None` if `earlier` is the later one. What the clock was set by in between, and
    /// leap seconds, are in it or missing: for durations use [`Instant`](crate::Instant).
    #[inline]
    #[must_use]
    pub fn checked_duration_since(self, earlier: Self) -> Option<Duration> {
        (self.ns >= earlier.ns).then(|| Duration::from_nanos(self.ns.wrapping_sub(earlier.ns) as u64))
    }

    /// As far as that can be represented.
    pub(super) fn moved(self, ns: i64) -> Self {
        Self { ns: self.ns.saturating_add(ns) }
    }
}

/// A time beyond what the type can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutOfRange;

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("before 1677 or after 2262")
    }
}

impl core::error::Error for OutOfRange {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_differences_are_those_of_unix_time() {
        let t = UtcInstant::from_unix_nanos(-5);
        let later = t.checked_add(Duration::from_nanos(12)).unwrap();
        assert_eq!(later.as_unix_nanos(), 7);
        assert_eq!(later.checked_sub(Duration::from_nanos(12)), Some(t));
        assert_eq!(later.checked_duration_since(t), Some(Duration::from_nanos(12)));
        assert_eq!(t.checked_duration_since(later), None);
        let (first, last) = (UtcInstant::from_unix_nanos(i64::MIN), UtcInstant::from_unix_nanos(i64::MAX));
        assert_eq!(last.checked_duration_since(first), Some(Duration::from_nanos(u64::MAX)));
        assert_eq!(first.checked_add(Duration::from_nanos(u64::MAX)), Some(last));
        assert_eq!((last.checked_add(Duration::from_nanos(1)), first.checked_sub(Duration::MAX)), (None, None));
    }
}
