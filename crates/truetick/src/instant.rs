//! The drop-in for `std::time::Instant`.

use core::{
    fmt,
    ops::{Add, AddAssign, Sub, SubAssign},
    time::Duration,
};

use crate::{clock::CLOCK, native::Native};

/// A point in time: nanoseconds of the operating system's monotonic clock. Eight bytes.
///
/// The same methods as [`std::time::Instant`], with the same meaning: differences saturate at zero, `+` and `-`
/// panic where the result can't be represented (292 years before the system's start, or after it), the `checked_`
/// ones return `None`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant {
    ns: i64,
}

impl Instant {
    /// Now. Never less than any `now()` that happened before, on any thread and any CPU.
    ///
    /// Two cases are beyond it. A counter that itself steps back by less than the 2 ms between two looks at the kernel's
    /// clock takes the readings back with it, for as long as the step was (docs/method/truetick.md). And RISC-V lets
    /// the CPUs' counters differ by one tick (Zicntr), so there a reading may be one tick less than another CPU's.
    ///
    /// Costs a serialized counter read (about 1.1 × `rdtscp`); every 2 ms one reading takes about 0.2 µs more.
    #[inline]
    pub fn now() -> Self {
        Self { ns: CLOCK.now(&Native) as i64 }
    }

    /// Now, at the cost of the bare counter.
    ///
    /// Never less than an earlier reading of the same thread. Against another thread's readings it may be early
    /// or late by as much as the CPU reorders instructions, even where a lock orders the two: some tens of
    /// nanoseconds as a rule, as long as a read of memory may take at worst (13 µs is the most seen, on a busy host).
    #[inline]
    pub fn now_relaxed() -> Self {
        Self { ns: CLOCK.now_relaxed(&Native) as i64 }
    }

    /// The instant at `ns` nanoseconds of the system's monotonic clock; negative: before its start.
    #[inline]
    pub const fn from_nanos(ns: i64) -> Self {
        Self { ns }
    }

    /// Nanoseconds of the system's monotonic clock (CLOCK_MONOTONIC, CLOCK_UPTIME_RAW, QueryPerformanceCounter), and
    /// what it was set back by ([`Clock::set_back`](crate::Clock::set_back)). Negative where this lies before its start,
    /// as `Instant::now() - hour` does soon after that; a reading never does.
    #[inline]
    pub const fn as_nanos(self) -> i64 {
        self.ns
    }

    /// Time from `earlier` to this; zero if `earlier` is the later one.
    #[inline]
    #[must_use]
    pub const fn duration_since(&self, earlier: Self) -> Duration {
        self.saturating_duration_since(earlier)
    }

    /// Time from `earlier` to this; `None` if `earlier` is the later one.
    #[inline]
    #[must_use]
    pub const fn checked_duration_since(&self, earlier: Self) -> Option<Duration> {
        if self.ns < earlier.ns { None } else { Some(self.saturating_duration_since(earlier)) }
    }

    /// Time from `earlier` to this; zero if `earlier` is the later one.
    #[inline]
    #[must_use]
    pub const fn saturating_duration_since(&self, earlier: Self) -> Duration {
        // From the least to the greatest, the difference is one of u64.
        if self.ns < earlier.ns { Duration::ZERO } else { duration(self.ns.wrapping_sub(earlier.ns) as u64) }
    }

    /// Time from this to [`now`](Self::now).
    #[inline]
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        Self::now().saturating_duration_since(*self)
    }

    /// This plus `duration`; `None` where that can't be represented.
    #[inline]
    #[must_use]
    pub fn checked_add(&self, duration: Duration) -> Option<Self> {
        let ns = u64::try_from(duration.as_nanos()).ok()?;
        Some(Self { ns: self.ns.checked_add_unsigned(ns)? })
    }

    /// This minus `duration`; `None` where that can't be represented.
    #[inline]
    #[must_use]
    pub fn checked_sub(&self, duration: Duration) -> Option<Self> {
        let ns = u64::try_from(duration.as_nanos()).ok()?;
        Some(Self { ns: self.ns.checked_sub_unsigned(ns)? })
    }
}

/// `Duration::from_nanos`, without its division (3 ns) below a second.
#[inline]
const fn duration(ns: u64) -> Duration {
    if ns < 1_000_000_000 { Duration::new(0, ns as u32) } else { Duration::from_nanos(ns) }
}

impl Add<Duration> for Instant {
    type Output = Self;

    /// # Panics
    /// Where the sum can't be represented; [`checked_add`](Self::checked_add) does not.
    #[inline]
    fn add(self, duration: Duration) -> Self {
        self.checked_add(duration).expect("overflow when adding duration to instant")
    }
}

impl AddAssign<Duration> for Instant {
    #[inline]
    fn add_assign(&mut self, duration: Duration) {
        *self = *self + duration;
    }
}

impl Sub<Duration> for Instant {
    type Output = Self;

    /// # Panics
    /// Where the difference can't be represented; [`checked_sub`](Self::checked_sub) does not.
    #[inline]
    fn sub(self, duration: Duration) -> Self {
        self.checked_sub(duration).expect("overflow when subtracting duration from instant")
    }
}

impl SubAssign<Duration> for Instant {
    #[inline]
    fn sub_assign(&mut self, duration: Duration) {
        *self = *self - duration;
    }
}

impl Sub for Instant {
    type Output = Duration;

    /// Zero if `earlier` is the later one.
    #[inline]
    fn sub(self, earlier: Self) -> Duration {
        self.saturating_duration_since(earlier)
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, ns) = (if self.ns < 0 { "-" } else { "" }, self.ns.unsigned_abs());
        write!(f, "Instant({sign}{}.{:09} s)", ns / 1_000_000_000, ns % 1_000_000_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: Instant = Instant::from_nanos(1_500_000_000);

    #[test]
    fn differences_saturate_at_zero() {
        let later = T + Duration::from_millis(3);
        assert_eq!(later - T, Duration::from_millis(3));
        assert_eq!(later.duration_since(T), Duration::from_millis(3));
        assert_eq!(T - later, Duration::ZERO);
        assert_eq!(T.duration_since(later), Duration::ZERO);
        assert_eq!(T.saturating_duration_since(later), Duration::ZERO);
        assert_eq!(T.checked_duration_since(later), None);
        assert_eq!(T.checked_duration_since(T), Some(Duration::ZERO));
        let (first, last) = (Instant::from_nanos(i64::MIN), Instant::from_nanos(i64::MAX));
        assert_eq!(last.elapsed(), Duration::ZERO);
        assert_eq!(Instant::from_nanos(1_000_000_000) - Instant::from_nanos(0), Duration::from_secs(1));
        assert_eq!(last - first, Duration::from_nanos(u64::MAX));
        assert_eq!(first - last, Duration::ZERO);
    }

    #[test]
    fn sums_end_where_the_type_does() {
        let (first, last) = (Instant::from_nanos(i64::MIN), Instant::from_nanos(i64::MAX));
        assert_eq!(T.checked_add(Duration::MAX), None);
        assert_eq!(T.checked_sub(Duration::MAX), None);
        assert_eq!(last.checked_add(Duration::from_nanos(1)), None);
        assert_eq!(T.checked_add(last - T), Some(last));
        assert_eq!(T.checked_sub(T - first), Some(first));
        assert_eq!(first.checked_sub(Duration::from_nanos(1)), None);
        assert_eq!(T.checked_sub(Duration::from_millis(1500)), Some(Instant::from_nanos(0)));
        let mut t = T;
        t += Duration::from_nanos(2);
        t -= Duration::from_nanos(1);
        assert_eq!(t.as_nanos(), 1_500_000_001);
    }

    #[test]
    fn reaches_back_beyond_the_systems_start() {
        let hour = Duration::from_secs(3600);
        let before = T - hour;
        assert_eq!(before.as_nanos(), 1_500_000_000 - 3_600_000_000_000);
        assert_eq!((T - before, before + hour), (hour, T));
        assert!(before < Instant::from_nanos(0) && Instant::now() - hour * 24 * 365 * 100 < before);
    }

    #[test]
    #[should_panic(expected = "overflow when adding duration to instant")]
    fn plus_panics_as_stds_does() {
        let _ = T + Duration::MAX;
    }

    #[test]
    #[should_panic(expected = "overflow when subtracting duration from instant")]
    fn minus_panics_as_stds_does() {
        let _ = T - Duration::MAX;
    }

    #[test]
    fn shows_seconds() {
        assert_eq!(format!("{T:?}"), "Instant(1.500000000 s)");
        assert_eq!(format!("{:?}", T - Duration::from_secs(3)), "Instant(-1.500000000 s)");
    }
}
