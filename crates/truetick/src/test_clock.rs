//! Time as a test wants it: of [`Instant`]. [`UtcInstant`](crate::UtcInstant) goes on by the system.

use core::{
    cell::Cell,
    marker::PhantomData,
    sync::atomic::{AtomicU64, Ordering::SeqCst},
    time::Duration,
};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{Instant, Reading};

thread_local! {
    static HERE: Cell<Option<Instant>> = const { Cell::new(None) };
}
/// An instant as [`AtomicInstant`](crate::AtomicInstant) keeps it; 0: there is none.
static EVERYWHERE: AtomicU64 = AtomicU64::new(0);
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// While it lives, time stands still, and goes where it is told to: for tests of code that asks the clock itself.
///
/// It is what [`Instant::now`] and its kin, [`coarse`](crate::coarse()), [`Stopwatch`](crate::Stopwatch),
/// [`Deadline`](crate::Deadline), [`Clock::now_ns`](crate::Clock::now_ns) and [`Clock::reading`](crate::Clock::reading) (with an
/// uncertainty of zero) say. Ticks, [`Cycles`](crate::Cycles) and what [`Clock`](crate::Clock) says of this machine stay
/// true. When it is dropped, in a panic too, what was before is restored.
///
/// ```
/// use std::time::Duration;
/// use truetick::{Deadline, Instant, test_clock::TestClock};
///
/// let time = TestClock::here(Instant::from_nanos(0));
/// let deadline = Deadline::after(Duration::from_secs(3600));
/// time.advance(Duration::from_secs(3599));
/// assert_eq!(deadline.remaining(), Duration::from_secs(1));
/// time.advance(Duration::from_secs(1));
/// assert!(deadline.has_passed());
/// time.set(Instant::from_nanos(7));
/// assert_eq!(Instant::now().as_nanos(), 7);
/// drop(time);
/// assert!(Instant::now() > Instant::from_nanos(7));
/// ```
///
/// Only with the feature `test-clock`, which belongs among `dev-dependencies`: each reading costs some 2 ns more with it,
/// and no instruction more without.
#[derive(Debug)]
#[must_use]
pub struct TestClock {
    whose: Whose,
    /// Of the thread that made it.
    _stays: PhantomData<*const ()>,
}

#[derive(Debug)]
enum Whose {
    /// And what this thread had before.
    Thread(Option<Instant>),
    Process(#[expect(dead_code, reason = "held until it is dropped")] MutexGuard<'static, ()>),
}

impl TestClock {
    /// On this thread it is `at`, until told otherwise. May be nested; comes before one for all threads.
    pub fn here(at: Instant) -> Self {
        Self { whose: Whose::Thread(HERE.replace(Some(at))), _stays: PhantomData }
    }

    /// On all threads it is `at`, until told otherwise: for code that starts threads. Waits until no other such clock is
    /// left, so that tests that run at once don't disturb each other; so never make a second one on the same thread.
    pub fn everywhere(at: Instant) -> Self {
        // Of a test that has failed, nothing is left behind.
        let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        EVERYWHERE.store(at.to_word(), SeqCst);
        Self { whose: Whose::Process(alone), _stays: PhantomData }
    }

    /// What it shows.
    pub fn now(&self) -> Instant {
        match self.whose {
            Whose::Thread(_) => HERE.get(),
            Whose::Process(_) => everywhere(),
        }
        .unwrap_or_else(Instant::now)
    }

    /// From now on it is `at`, be that earlier.
    pub fn set(&self, at: Instant) {
        match self.whose {
            Whose::Thread(_) => HERE.set(Some(at)),
            Whose::Process(_) => EVERYWHERE.store(at.to_word(), SeqCst),
        }
    }

    /// From now on it is later by `time`; at most the last instant there is.
    pub fn advance(&self, time: Duration) {
        self.set(self.now().checked_add(time).unwrap_or(Instant::from_nanos(i64::MAX)));
    }
}

impl Drop for TestClock {
    fn drop(&mut self) {
        match self.whose {
            Whose::Thread(before) => HERE.set(before),
            Whose::Process(_) => EVERYWHERE.store(0, SeqCst),
        }
    }
}

fn everywhere() -> Option<Instant> {
    match EVERYWHERE.load(SeqCst) {
        0 => None,
        word => Some(Instant::of_word(word)),
    }
}

/// What a test says that it is here and now.
#[inline]
pub(crate) fn now() -> Option<Instant> {
    HERE.get().or_else(everywhere)
}

/// The same as nanoseconds; none before the system's start.
#[inline]
pub(crate) fn now_ns() -> Option<u64> {
    now().map(|now| now.as_nanos().max(0) as u64)
}

/// The same as a reading.
pub(crate) fn reading() -> Option<Reading> {
    now_ns().map(|ns| Reading { ns, uncertainty_ns: Some(0), uncertainty_if_steady_ns: Some(0) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AtomicInstant, Clock, Stopwatch, coarse};

    const SECOND: Duration = Duration::from_secs(1);

    fn at(ns: i64) -> Instant {
        Instant::from_nanos(ns)
    }

    #[test]
    fn whoever_asks_is_told_the_same() {
        let time = TestClock::here(at(5_000_000_000));
        let shared = AtomicInstant::new(at(0));
        shared.store(Instant::now(), SeqCst);
        let watch = Stopwatch::start_new();
        time.advance(SECOND);
        let now = [
            Instant::now(),
            Instant::now_relaxed(),
            Instant::recent(),
            coarse(),
            time.now(),
            at(Clock::now_ns() as i64),
            at(Clock::now_relaxed_ns() as i64),
            at(Clock::reading().ns as i64),
            at(Clock::verified().ns as i64),
        ];
        assert_eq!(now, [at(6_000_000_000); 9]);
        assert_eq!((watch.elapsed(), shared.into_inner().elapsed()), (SECOND, SECOND));
        assert_eq!(Clock::uncertainty(), Some(Duration::ZERO));
        time.set(at(-1));
        assert_eq!((Instant::now(), Clock::now_ns()), (at(-1), 0));
        time.advance(Duration::MAX);
        assert_eq!(Instant::now(), at(i64::MAX));
    }

    #[test]
    fn what_was_before_comes_back() {
        let outer = TestClock::here(at(1));
        {
            let _inner = TestClock::here(at(2));
            assert_eq!(Instant::now(), at(2));
        }
        assert_eq!(outer.now(), at(1));
        let failed = std::panic::catch_unwind(|| {
            let _inner = TestClock::here(at(3));
            assert_eq!(Instant::now(), at(4), "on purpose");
        });
        assert!(failed.is_err());
        assert_eq!(Instant::now(), at(1));
        drop(outer);
        assert!(Instant::now() > at(4));
    }
}
