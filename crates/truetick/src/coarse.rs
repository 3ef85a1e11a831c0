//! The cheapest stamp.

use crate::{Instant, os};

/// A stamp of the system's coarse clock: about 5 ns on Linux, up to one scheduler tick old (1 to 10 ms).
///
/// Never goes back among its own kind. It lies before a [`now`](Instant::now) taken at the same time, but for
/// that reading's [uncertainty](crate::Clock::uncertainty): a difference of the two saturates at zero. Where
/// the system has no such clock on the same time scale, it is [`Instant::now_relaxed`].
#[inline]
pub fn coarse() -> Instant {
    os::coarse_ns().map_or_else(Instant::now_relaxed, Instant::from_nanos)
}
