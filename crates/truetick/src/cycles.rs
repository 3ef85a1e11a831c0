//! Counter ticks around a piece of code, for work at the level of instructions.

use crate::{Clock, native};

/// Ticks of the CPU's counter between two fenced reads, as Intel's white paper 'How to Benchmark Code Execution
/// Times' describes it, with the fences that the manuals name since: nothing of the measured code runs before
/// the first read or after the second, nor anything else between them.
///
/// Ticks are the counter's, not the core's cycles: their rate does not follow the core's clock.
/// Where the CPU has no counter, they are nanoseconds of the system's clock. Where the system forbids a process to read
/// it (`PR_SET_TSC` on Linux), reading it raises the signal that the system promised for that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Cycles(pub u64);

/// A measurement begun.
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct Begun(u64);

impl Cycles {
    /// Begins: everything before it has been done, nothing after it has begun (`lfence; rdtsc; lfence`).
    #[inline(always)]
    pub fn begin() -> Begun {
        Begun(begin())
    }

    /// What an empty measurement shows, ticks: the least of 1000, so that subtracting it never takes too much.
    /// Costs some tens of microseconds; ask once.
    pub fn overhead() -> Self {
        (0..1000).map(|_| Self::begin().end()).min().unwrap_or_default()
    }

    /// Without the measurement's own cost; never negative.
    #[must_use]
    pub const fn less(self, overhead: Self) -> Self {
        Self(self.0.saturating_sub(overhead.0))
    }

    /// As nanoseconds at the measured rate; `None` until that is known, see [`Clock::frequency_hz`].
    pub fn to_nanos(self) -> Option<f64> {
        if native::HAS_COUNTER { Clock::frequency_hz().map(|hz| self.0 as f64 * 1e9 / hz) } else { Some(self.0 as f64) }
    }
}

impl Begun {
    /// The one begun at `ticks`, as [`Begun::ticks`] gave it: for callers that keep a bare number.
    pub const fn at(ticks: u64) -> Self {
        Self(ticks)
    }

    /// The counter's value at its beginning.
    pub const fn ticks(self) -> u64 {
        self.0
    }

    /// Ends: everything before it has been done, nothing after it has begun (`lfence; rdtsc; lfence`).
    /// Zero where the counter went back.
    #[inline(always)]
    pub fn end(self) -> Cycles {
        let ticks = end().wrapping_sub(self.0);
        Cycles(if ticks < 1 << 63 { ticks } else { 0 })
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
fn begin() -> u64 {
    crate::counter::lfence_rdtsc_lfence()
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
fn end() -> u64 {
    // Both reads wait for what stands before them; LFENCE also serves the rare CPU without RDTSCP.
    crate::counter::lfence_rdtsc_lfence()
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
#[inline(always)]
fn begin() -> u64 {
    fenced()
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
#[inline(always)]
fn end() -> u64 {
    fenced()
}

/// `isb; mrs; isb`.
#[cfg(all(target_arch = "aarch64", not(miri)))]
#[inline(always)]
fn fenced() -> u64 {
    let ticks = crate::counter::isb_cntvct();
    // SAFETY: ISB has no effect but order.
    unsafe { core::arch::asm!("isb", options(nostack, preserves_flags)) };
    ticks
}

#[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
#[inline(always)]
fn begin() -> u64 {
    if native::HAS_COUNTER { native::ordered() } else { crate::os::monotonic_ns().unwrap_or(0) }
}

#[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
#[inline(always)]
fn end() -> u64 {
    begin()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_negative() {
        assert_eq!(Cycles(5).less(Cycles(7)), Cycles(0));
        assert_eq!(Cycles(9).less(Cycles(7)), Cycles(2));
        assert_eq!(Begun(u64::MAX >> 1).end(), Cycles(0));
    }

    #[test]
    fn work_counts_and_the_own_cost_is_the_least() {
        let overhead = Cycles::overhead();
        let begun = Cycles::begin();
        let mut sum = 0u64;
        for i in 0..10_000 {
            sum = std::hint::black_box(sum ^ i);
        }
        let taken = begun.end();
        assert!(taken > overhead, "{taken:?} {overhead:?}");
    }
}
