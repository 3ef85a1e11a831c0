//! The cheapest stamp.

use crate::{Instant, clock::CLOCK, os};

/// A stamp of the system's coarse clock: about 5 ns on Linux, up to one scheduler tick old (1 to 10 ms).
///
/// Never goes back among its own kind. It lies before a [`now`](Instant::now) taken at the same time, but for
/// that reading's [uncertainty](crate::Clock::uncertainty): a difference of the two saturates at zero. Where
/// the system has no such clock on the same time scale, it is [`Instant::now_relaxed`]. Where the system's clock is
/// set back, it goes back with that until a reading of the other kind has found it out.
#[inline]
pub fn coarse() -> Instant {
    #[cfg(feature = "test-clock")]
    if let Some(now) = crate::test_clock::now() {
        return now;
    }
    let after_set_back = |ns: u64| Instant::from_nanos(ns.wrapping_add(CLOCK.set_back_ns()) as i64);
    os::coarse_ns().map_or_else(Instant::now_relaxed, after_set_back)
}
