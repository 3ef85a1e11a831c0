//! The same clock on hardware that the caller brings, without `std`: for kernels, firmware, simulators and tests of what
//! a clock does when its counter jumps.
//!
//! ```
//! use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
//! use truetick::timeline::{Choice, Hardware, Source, Timeline, Why};
//!
//! /// A counter of 1 GHz, and a system's clock that shows the same.
//! struct Board(AtomicU64);
//!
//! impl Hardware for Board {
//!     fn relaxed(&self) -> u64 {
//!         self.0.fetch_add(10, Relaxed)
//!     }
//!     fn ordered(&self) -> u64 {
//!         self.relaxed()
//!     }
//!     fn system_ns(&self) -> Option<u64> {
//!         Some(self.relaxed())
//!     }
//!     fn choose(&self) -> Choice {
//!         Choice::new(Source::Counter, Why::Forced)
//!     }
//! }
//!
//! static TIME: Timeline = Timeline::new();
//!
//! let board = Board(AtomicU64::new(1_000_000));
//! let start = TIME.now(&board);
//! assert!(TIME.now(&board) >= start);
//! ```
//!
//! It needs atomics of 64 bits, no allocation and no thread.

use core::{fmt, sync::atomic::AtomicU64};

use crate::chain::{Basis, Chain, SLOTS};
pub use crate::{
    chain::{Epoch, Reading},
    hardware::Hardware,
    source::{Choice, Source, Why},
    wall::WallReading,
};

/// A clock on hardware of the caller's. Readings never wait, never allocate, and may be made from signal and interrupt
/// handlers and after `fork`.
///
/// Always call it with the same hardware. `N` is how many lines it has room for, a power of two from 2 to 64, each of
/// 256 bytes: more than threads that may be put to sleep while they publish one. With none left, readings are the
/// system's clock.
pub struct Timeline<const N: usize = SLOTS>(Chain<AtomicU64, N>);

impl<const N: usize> Timeline<N> {
    /// A clock, for a `static` as a rule. Nothing is read before its first reading.
    #[must_use]
    pub const fn new() -> Self {
        Self(Chain::new())
    }

    /// The time, ns; never less than any reading that happened before, on any thread. Costs what
    /// [`Hardware::ordered`] costs and some arithmetic; every 2 ms one reading compares the two clocks.
    #[inline(always)]
    pub fn now(&self, hw: &impl Hardware) -> u64 {
        self.0.now(hw)
    }

    /// The time, ns; never less than an earlier reading of the same thread. Costs what [`Hardware::relaxed`] costs and
    /// some arithmetic.
    #[inline(always)]
    pub fn now_relaxed(&self, hw: &impl Hardware) -> u64 {
        self.0.now_relaxed(hw)
    }

    /// The time with its uncertainty, both from one reading; ordered as [`now`](Self::now).
    pub fn reading(&self, hw: &impl Hardware) -> Reading {
        self.0.slow(hw)
    }

    /// UNIX time, ns, by [`Hardware::wall_ns`]. As ordered as [`now`](Self::now) as long as that clock is not set.
    #[inline(always)]
    pub fn wall(&self, hw: &impl Hardware) -> i64 {
        self.0.wall(hw)
    }

    /// UNIX time with its bounds, from one reading.
    #[inline(always)]
    pub fn wall_with_bounds(&self, hw: &impl Hardware) -> WallReading {
        self.0.wall_with_bounds(hw)
    }

    /// The time with an uncertainty that was looked up instead of bounded: the system's clock is read before and after.
    /// Ordered as [`now`](Self::now).
    pub fn verified(&self, hw: &impl Hardware) -> Reading {
        self.0.verified(hw)
    }

    /// Compares the two clocks now, and says what was found so far: whether what earlier readings stated has held.
    pub fn check(&self, hw: &impl Hardware) -> Epoch {
        self.0.check(hw)
    }

    /// What comparisons have found so far.
    pub fn epoch(&self) -> Epoch {
        self.0.epoch()
    }

    /// By how much the system's clock has been set back altogether, ns: readings are ahead of it by this for good.
    pub fn set_back_ns(&self) -> u64 {
        self.0.set_back_ns()
    }

    /// What time is made of and why; `None` before the first reading.
    pub fn choice(&self) -> Option<Choice> {
        self.0.choice()
    }

    /// The counter's rate against the system's clock, Hz. `None`: the counter is not used, or its rate not known yet.
    pub fn frequency_hz(&self) -> Option<f64> {
        self.0.frequency_hz()
    }
}

impl<const N: usize> Default for Timeline<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> fmt::Debug for Timeline<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let on = match self.0.basis() {
            Basis::System => "the system's clock",
            Basis::Starting => "the system's clock, until there is a line",
            Basis::Line(_) => "the counter",
        };
        f.debug_struct("Timeline").field("on", &on).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::sync::atomic::Ordering::Relaxed;

    /// A counter of 2 GHz; the system's clock of 1 ns.
    struct Board(AtomicU64);

    impl Hardware for Board {
        fn relaxed(&self) -> u64 {
            self.0.fetch_add(40, Relaxed)
        }
        fn ordered(&self) -> u64 {
            self.relaxed()
        }
        fn system_ns(&self) -> Option<u64> {
            Some(self.relaxed() / 2)
        }
        fn choose(&self) -> Choice {
            Choice::new(Source::Counter, Why::Forced)
        }
    }

    #[test]
    fn goes_by_the_callers_counter() {
        let (time, board) = (Timeline::<2>::default(), Board(AtomicU64::new(1 << 40)));
        assert_eq!((time.choice(), time.frequency_hz()), (None, None));
        for _ in 0..1000 {
            board.0.fetch_add(20_000, Relaxed);
            let (before, reading) = (board.0.load(Relaxed) / 2, time.reading(&board));
            let off = reading.uncertainty_ns.expect("a clock that works");
            assert!((before - off..=board.0.load(Relaxed) / 2 + off).contains(&reading.ns), "{reading:?} {before}");
            assert!(time.now(&board) > reading.ns && time.now_relaxed(&board) > reading.ns);
        }
        assert_eq!(time.choice(), Some(board.choose()));
        let hz = time.frequency_hz().expect("a line by now");
        assert!((hz / 2e9 - 1.0).abs() < 1e-3, "{hz}");
        assert_eq!((time.check(&board), time.set_back_ns()), (Epoch::default(), 0));
        assert_eq!(format!("{time:?}"), "Timeline { on: \"the counter\", .. }");
        assert!(time.verified(&board).uncertainty_ns.is_some_and(|off| off < 1000));
    }
}
