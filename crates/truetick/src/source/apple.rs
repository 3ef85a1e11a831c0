//! Apple's systems: `mach_absolute_time` is the counter on every Mac; XNU keeps the CPUs' counters together.

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

/// Nothing forbids a process to read the counter here.
pub(crate) fn forbidden() -> bool {
    false
}

/// Not looked at here.
pub(crate) fn in_user_space() -> Option<bool> {
    None
}

/// Not looked at here.
pub(crate) fn still_used() -> Option<bool> {
    None
}

/// It has no name here.
pub(crate) fn clocksource(_: &mut [u8; 64]) -> usize {
    0
}
