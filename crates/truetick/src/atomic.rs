//! An instant that threads share.

use core::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
};

use crate::Instant;

/// An [`Instant`] that can be shared between threads: when something was last seen, the latest deadline, the last look at
/// a lock's owner. Eight bytes; each operation is one of [`AtomicU64`]'s, and orders mean what they mean there.
///
/// ```
/// use std::sync::atomic::Ordering::Relaxed;
/// use truetick::{AtomicInstant, Instant};
///
/// static SEEN: AtomicInstant = AtomicInstant::new(Instant::from_nanos(0));
/// SEEN.fetch_max(Instant::now(), Relaxed);
/// assert!(SEEN.load(Relaxed) <= Instant::now());
/// ```
#[repr(transparent)]
pub struct AtomicInstant(AtomicU64);

impl AtomicInstant {
    /// One that holds `instant`.
    #[inline]
    pub const fn new(instant: Instant) -> Self {
        Self(AtomicU64::new(instant.to_word()))
    }

    /// Its value.
    ///
    /// # Panics
    /// Where `order` is `Release` or `AcqRel`, as [`AtomicU64::load`].
    #[inline]
    pub fn load(&self, order: Ordering) -> Instant {
        Instant::of_word(self.0.load(order))
    }

    /// Puts `instant` there.
    ///
    /// # Panics
    /// Where `order` is `Acquire` or `AcqRel`, as [`AtomicU64::store`].
    #[inline]
    pub fn store(&self, instant: Instant, order: Ordering) {
        self.0.store(instant.to_word(), order);
    }

    /// Puts `instant` there; returns what was there.
    #[inline]
    pub fn swap(&self, instant: Instant, order: Ordering) -> Instant {
        Instant::of_word(self.0.swap(instant.to_word(), order))
    }

    /// Puts `new` there if `current` is there; returns what was there: `Ok`, it was `current`.
    ///
    /// # Errors
    /// What was there instead.
    ///
    /// # Panics
    /// Where `failure` is `Release` or `AcqRel`, as [`AtomicU64::compare_exchange`].
    #[inline]
    pub fn compare_exchange(
        &self,
        current: Instant,
        new: Instant,
        success: Ordering,
        failure: Ordering,
    ) -> Result<Instant, Instant> {
        let done = self.0.compare_exchange(current.to_word(), new.to_word(), success, failure);
        done.map(Instant::of_word).map_err(Instant::of_word)
    }

    /// The same, which may fail without a cause: for loops.
    ///
    /// # Errors
    /// What was there.
    ///
    /// # Panics
    /// As [`compare_exchange`](Self::compare_exchange).
    #[inline]
    pub fn compare_exchange_weak(
        &self,
        current: Instant,
        new: Instant,
        success: Ordering,
        failure: Ordering,
    ) -> Result<Instant, Instant> {
        let done = self.0.compare_exchange_weak(current.to_word(), new.to_word(), success, failure);
        done.map(Instant::of_word).map_err(Instant::of_word)
    }

    /// Puts the later of the two there; returns what was there.
    #[inline]
    pub fn fetch_max(&self, instant: Instant, order: Ordering) -> Instant {
        Instant::of_word(self.0.fetch_max(instant.to_word(), order))
    }

    /// Puts the earlier of the two there; returns what was there.
    #[inline]
    pub fn fetch_min(&self, instant: Instant, order: Ordering) -> Instant {
        Instant::of_word(self.0.fetch_min(instant.to_word(), order))
    }

    /// Its value, where no other thread has it any more.
    #[inline]
    pub fn into_inner(self) -> Instant {
        Instant::of_word(self.0.into_inner())
    }
}

impl From<Instant> for AtomicInstant {
    fn from(instant: Instant) -> Self {
        Self::new(instant)
    }
}

impl fmt::Debug for AtomicInstant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.load(Ordering::Relaxed).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

    const fn at(ns: i64) -> Instant {
        Instant::from_nanos(ns)
    }

    #[test]
    fn does_what_an_atomic_does() {
        let shared = AtomicInstant::new(at(5));
        assert_eq!(shared.load(Acquire), at(5));
        shared.store(at(-7), Release);
        assert_eq!(shared.swap(at(1), AcqRel), at(-7));
        assert_eq!(shared.compare_exchange(at(2), at(3), AcqRel, Acquire), Err(at(1)));
        assert_eq!(shared.compare_exchange(at(1), at(3), AcqRel, Acquire), Ok(at(1)));
        assert_eq!(shared.compare_exchange_weak(at(1), at(4), SeqCst, Relaxed), Err(at(3)));
        assert_eq!(format!("{shared:?}"), "Instant(0.000000003 s)");
        assert_eq!(AtomicInstant::from(at(9)).into_inner(), at(9));
    }

    #[test]
    fn knows_the_later_one_on_either_side_of_the_systems_start() {
        let shared = AtomicInstant::new(at(-3));
        assert_eq!(shared.fetch_max(at(-4), Relaxed), at(-3));
        assert_eq!(shared.fetch_max(at(2), Relaxed), at(-3));
        assert_eq!(shared.fetch_min(at(i64::MAX), Relaxed), at(2));
        assert_eq!(shared.fetch_min(at(-3), Relaxed), at(2));
        assert_eq!(shared.load(Relaxed), at(-3));
    }

    #[test]
    fn of_threads_that_race_the_latest_stays() {
        let shared = AtomicInstant::new(at(0));
        std::thread::scope(|scope| {
            for first in 1..=4 {
                let shared = &shared;
                scope.spawn(move || {
                    for i in 0..100 {
                        shared.fetch_max(at(first + 4 * i), Relaxed);
                    }
                });
            }
        });
        assert_eq!(shared.into_inner(), at(400));
    }
}
