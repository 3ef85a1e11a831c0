//! The drop-in for `std::time::Instant`.

use core::{
    fmt,
    num::NonZeroU64,
    ops::{Add, AddAssign, Sub, SubAssign},
    time::Duration,
};

use crate::{clock::CLOCK, discipline::START, native::Native};

/// A point in time: nanoseconds of the operating system's monotonic clock. Eight bytes, as an `Option<Instant>` has.
///
/// The same methods as [`std::time::Instant`], with the same meaning: differences saturate at zero, `+` and `-`
/// panic where the result can't be represented (292 years before the system's start, or after it), the `checked_`
/// ones return `None`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant {
    /// Nanoseconds, plus [`START`]: in order, and never 0.
    at: NonZeroU64,
}

impl Instant {
    /// Now. Never less than any `now()` that happened before, on any thread and any CPU.
    ///
    /// Three cases are beyond it. A counter that itself steps back by less than the 2 ms between two looks at the kernel's
    /// clock takes the readings back with it, for as long as the step was, as no reading asks the kernel before the line's end.
    /// Where time is the system's clock ([`Clock::source`](crate::Clock::source)), one that is set back by less than 0.2 ms
    /// does. And RISC-V lets the CPUs' counters differ by one tick (Zicntr), so there a reading may be one tick less than
    /// another CPU's.
    ///
    /// Costs a serialized counter read (about 1.1 × `rdtscp`); every 2 ms one reading takes about 0.2 µs more.
    #[inline]
    pub fn now() -> Self {
        #[cfg(feature = "test-clock")]
        if let Some(now) = crate::test_clock::now() {
            return now;
        }
        Self { at: CLOCK.stamp(true) }
    }

    /// Now, at the cost of the bare counter.
    ///
    /// Never less than an earlier reading of the same thread. Against another thread's readings it may be early
    /// or late by as much as the CPU reorders instructions, even where a lock orders the two: some tens of
    /// nanoseconds as a rule, as long as a read of memory may take at worst (13 µs is the most seen, on a busy host).
    #[inline]
    pub fn now_relaxed() -> Self {
        #[cfg(feature = "test-clock")]
        if let Some(now) = crate::test_clock::now() {
            return now;
        }
        Self { at: CLOCK.stamp(false) }
    }

    /// Now, at the cost of the bare counter, and never less than `t`: for a stamp beside one that another thread took and
    /// handed over.
    #[inline]
    #[must_use]
    pub fn now_relaxed_after(t: Self) -> Self {
        Self::now_relaxed().max(t)
    }

    /// About now, without reading any clock: never later than a [`now`](Self::now) that happens after it, and no earlier than
    /// 2 ms before the last one that any thread has made (0.1 ms where time is the system's clock). Where nobody reads, it
    /// stands still.
    ///
    /// Never goes back among its own kind, as `now` does not. About 1 ns. It is for code that asks often, under a loop that
    /// reads the clock once a turn.
    #[inline]
    pub fn recent() -> Self {
        #[cfg(feature = "test-clock")]
        if let Some(now) = crate::test_clock::now() {
            return now;
        }
        Self::of_reading(CLOCK.recent(&Native))
    }

    /// The instant at `ns` nanoseconds of the system's monotonic clock; negative: before its start. (The least, `i64::MIN`,
    /// counts as the next one.)
    #[inline]
    pub const fn from_nanos(ns: i64) -> Self {
        Self::of_word(ns as u64 ^ START.get())
    }

    /// A reading of the clock: less than 2^63, so this adds [`START`].
    #[inline(always)]
    pub(crate) fn of_reading(ns: u64) -> Self {
        Self { at: START | ns }
    }

    #[inline(always)]
    pub(crate) const fn of_word(word: u64) -> Self {
        match NonZeroU64::new(word) {
            Some(at) => Self { at },
            None => Self { at: NonZeroU64::MIN },
        }
    }

    #[inline(always)]
    pub(crate) const fn to_word(self) -> u64 {
        self.at.get()
    }

    /// Nanoseconds of the system's monotonic clock (CLOCK_MONOTONIC, CLOCK_UPTIME_RAW, QueryPerformanceCounter), and
    /// what it was set back by ([`Clock::set_back`](crate::Clock::set_back)). Negative where this lies before its start,
    /// as `Instant::now() - hour` does soon after that; a reading never does.
    #[inline]
    pub const fn as_nanos(self) -> i64 {
        (self.at.get() ^ START.get()) as i64
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
        if self.at.get() < earlier.at.get() { None } else { Some(self.saturating_duration_since(earlier)) }
    }

    /// Time from `earlier` to this; zero if `earlier` is the later one.
    #[inline]
    #[must_use]
    pub const fn saturating_duration_since(&self, earlier: Self) -> Duration {
        duration(self.at.get().saturating_sub(earlier.at.get()))
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
        Some(Self { at: self.at.checked_add(ns)? })
    }

    /// This minus `duration`; `None` where that can't be represented.
    #[inline]
    #[must_use]
    pub fn checked_sub(&self, duration: Duration) -> Option<Self> {
        let ns = u64::try_from(duration.as_nanos()).ok()?;
        Some(Self { at: NonZeroU64::new(self.at.get().checked_sub(ns)?)? })
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
        let (sign, ns) = (if self.as_nanos() < 0 { "-" } else { "" }, self.as_nanos().unsigned_abs());
        write!(f, "Instant({sign}{}.{:09} s)", ns / 1_000_000_000, ns % 1_000_000_000)
    }
}

#[cfg(test)]
#[path = "instant_tests.rs"]
mod tests;
