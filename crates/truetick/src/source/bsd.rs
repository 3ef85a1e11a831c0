//! FreeBSD, NetBSD, DragonFly: `kern.timecounter.hardware` names the timecounter in use.

#[path = "unasked.rs"]
mod unasked;

pub(crate) use unasked::{clocksource, forbidden, in_user_space, still_used};

use core::ffi::{c_char, c_int, c_void};

use super::choose::Kernel;
use crate::discipline;

unsafe extern "C" {
    fn sysctlbyname(
        name: *const c_char,
        old: *mut c_void,
        old_len: *mut usize,
        new: *const c_void,
        new_len: usize,
    ) -> c_int;
}

pub(crate) const SLEW: Option<f64> = Some(discipline::SLEW);

pub(crate) fn kernel() -> Option<Kernel> {
    let mut name = [0u8; 64];
    let mut len = name.len();
    // SAFETY: a terminated name, a buffer of the length given, and nothing to set.
    let rc = unsafe {
        sysctlbyname(
            c"kern.timecounter.hardware".as_ptr(),
            name.as_mut_ptr().cast(),
            &raw mut len,
            core::ptr::null(),
            0,
        )
    };
    if rc != 0 {
        return None;
    }
    let name = &name[..len.min(name.len())];
    let uses = [b"TSC".as_slice(), b"ARM MPCore", b"RISC-V"].iter().any(|own| name.starts_with(own));
    Some(if uses { Kernel::Uses } else { Kernel::Rejects })
}

/// The counter's own: the clock is made of it.
pub(crate) fn step_ns() -> u64 {
    1
}
