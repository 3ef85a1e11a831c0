//! Apple's systems: `mach_absolute_time` is the counter on every Mac; XNU keeps the CPUs' counters together.

#[path = "unasked.rs"]
mod unasked;

pub(crate) use unasked::{clocksource, forbidden, in_user_space, still_used};

use super::choose::Kernel;
use crate::discipline::STEADY;

/// CLOCK_UPTIME_RAW is not slewed at all (clock_gettime(3)).
pub(crate) const SLEW: Option<f64> = Some(STEADY);

pub(crate) fn kernel() -> Option<Kernel> {
    Some(Kernel::Uses)
}

/// The counter's own: 41.7 ns on Apple's own CPUs (24 MHz).
pub(crate) fn step_ns() -> u64 {
    42
}
