//! Elsewhere: nothing is said.

use super::choose::Kernel;

/// Nobody says how the clock may be slewed (OpenBSD's adjfreq takes 50 %).
pub(crate) const SLEW: Option<f64> = None;

/// No verdict.
pub(crate) fn kernel() -> Option<Kernel> {
    None
}

/// Taken for nanoseconds.
pub(crate) fn step_ns() -> u64 {
    1
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
