//! Elsewhere: nothing is said.

#[path = "unasked.rs"]
mod unasked;

pub(crate) use unasked::{clocksource, forbidden, in_user_space, still_used};

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
