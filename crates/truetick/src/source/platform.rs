//! Gathers the evidence on the system that this is built for.

#[cfg(any(target_os = "linux", target_os = "android"))]
use super::linux;
use super::{
    choose::{Counter, Evidence, Forced},
    cpuid,
};
use crate::os;

/// What the choice needs, or `all` that can be asked, for people. No allocation on Linux. The environment is looked
/// at in the first call only.
pub(crate) fn gather(all: bool) -> Evidence {
    let (counter, forced, kernel) = (counter(), os::forced(), kernel());
    let decided =
        counter != Counter::Readable || kernel.is_some() || matches!(forced, Some(Forced::Counter | Forced::System));
    // CPUID last: a hypervisor traps it, which takes longer than all else.
    let (invariant, hypervisor) = if all || !decided { cpuid::ask() } else { (false, None) };
    let cpus_agree = if !decided && invariant { cpus_agree() } else { None };
    Evidence { counter, forced, kernel, invariant, hypervisor, cpus_agree }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
use linux::{counter, cpus_agree, kernel};

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn counter() -> Counter {
    if crate::native::HAS_COUNTER { Counter::Readable } else { Counter::Absent }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn cpus_agree() -> Option<bool> {
    None
}

/// `mach_absolute_time` is the counter on every Mac; XNU keeps the CPUs' counters together.
#[cfg(target_vendor = "apple")]
fn kernel() -> Option<super::Kernel> {
    Some(super::Kernel::Uses)
}

/// KUSER_SHARED_DATA.QpcBypassEnabled: whether user mode may make QueryPerformanceCounter of the bare counter
/// (bit 0), and whether Hyper-V's page is needed for it (bit 1). No verdict in that second case.
#[cfg(windows)]
fn kernel() -> Option<super::Kernel> {
    // SAFETY: Windows maps this page, readable, at this address into every process; the field has been there
    // since 8.1, and reads as 0 before.
    let bypass = unsafe { core::ptr::read_volatile(0x7ffe_03c6 as *const u8) };
    match (bypass & 1, bypass & 2) {
        (0, _) => Some(super::Kernel::Rejects),
        (_, 0) => Some(super::Kernel::Uses),
        _ => None,
    }
}

/// `kern.timecounter.hardware` names the timecounter in use.
#[cfg(any(target_os = "freebsd", target_os = "netbsd", target_os = "dragonfly"))]
fn kernel() -> Option<super::Kernel> {
    use core::ffi::{c_char, c_int, c_void};

    unsafe extern "C" {
        fn sysctlbyname(
            name: *const c_char,
            old: *mut c_void,
            old_len: *mut usize,
            new: *const c_void,
            new_len: usize,
        ) -> c_int;
    }
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
    Some(if uses { super::Kernel::Uses } else { super::Kernel::Rejects })
}

#[cfg(not(any(
    target_os = "linux",
    target_os = "android",
    target_vendor = "apple",
    windows,
    target_os = "freebsd",
    target_os = "netbsd",
    target_os = "dragonfly"
)))]
fn kernel() -> Option<super::Kernel> {
    None
}
