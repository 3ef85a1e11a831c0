//! Windows: KUSER_SHARED_DATA.

#[path = "unasked.rs"]
mod unasked;

pub(crate) use unasked::{clocksource, forbidden, in_user_space, still_used};

use super::choose::Kernel;
use crate::{discipline::STEADY, os};

/// QueryPerformanceCounter is not slewed at all.
pub(crate) const SLEW: Option<f64> = Some(STEADY);

/// KUSER_SHARED_DATA.QpcBypassEnabled: whether user mode may make QueryPerformanceCounter of the bare counter
/// (bit 0), and whether Hyper-V's page is needed for it (bit 1). No verdict in that second case.
pub(crate) fn kernel() -> Option<Kernel> {
    // SAFETY: Windows maps this page, readable, at this address into every process; the field has been there
    // since 8.1, and reads as 0 before.
    let bypass = unsafe { core::ptr::read_volatile(0x7ffe_03c6 as *const u8) };
    match (bypass & 1, bypass & 2) {
        (0, _) => Some(Kernel::Rejects),
        (_, 0) => Some(Kernel::Uses),
        _ => None,
    }
}

/// QueryPerformanceCounter's: 100 ns as a rule.
pub(crate) fn step_ns() -> u64 {
    os::step_ns()
}
