//! Windows: KUSER_SHARED_DATA.

#[path = "unasked.rs"]
mod unasked;

pub(crate) use unasked::{clocksource, forbidden, in_user_space, still_used};

use super::choose::Kernel;
use crate::{discipline::STEADY, os};

/// QueryPerformanceCounter is not slewed at all.
pub(crate) const SLEW: Option<f64> = Some(STEADY);

/// KUSER_SHARED_DATA.QpcBypassEnabled: whether user mode may make QueryPerformanceCounter of the counter (bit 0), whether
/// Hyper-V's page is needed for it (bit 1), and whether the counter has to be read with care, as one of a Cortex-A73 may
/// show a wrong bit 32 while the lower ones wrap (bit 6, erratum 858921). No verdict with the page; not with that counter,
/// which is read without care here. The other bits are which fence goes before the read on x86.
pub(crate) fn kernel() -> Option<Kernel> {
    // SAFETY: Windows maps this page, readable, at this address into every process; the field has been there
    // since 8.1, and reads as 0 before.
    let bypass = unsafe { core::ptr::read_volatile(0x7ffe_03c6 as *const u8) };
    verdict_of(bypass)
}

const ENABLED: u8 = 0x01;
const PAGE: u8 = 0x02;
const A73_ERRATUM: u8 = 0x40;

fn verdict_of(bypass: u8) -> Option<Kernel> {
    match bypass {
        _ if bypass & ENABLED == 0 || bypass & A73_ERRATUM != 0 => Some(Kernel::Rejects),
        _ if bypass & PAGE == 0 => Some(Kernel::Uses),
        _ => None,
    }
}

/// QueryPerformanceCounter's: 100 ns as a rule.
pub(crate) fn step_ns() -> u64 {
    os::step_ns()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_with_the_a73s_erratum_is_left_aside() {
        for (bypass, verdict) in [
            (0x00, Some(Kernel::Rejects)),
            (0x01, Some(Kernel::Uses)),
            (0x21, Some(Kernel::Uses)),
            (0x83, None),
            (0x41, Some(Kernel::Rejects)),
            (0x43, Some(Kernel::Rejects)),
        ] {
            assert_eq!(verdict_of(bypass), verdict, "{bypass:#x}");
        }
    }
}
