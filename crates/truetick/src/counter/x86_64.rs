//! The time-stamp counter (Intel SDM vol. 2, RDTSC / RDTSCP; AMD APM vol. 3).

use core::arch::asm;

/// `rdtsc`: the bare counter. May execute before earlier and after later instructions.
#[inline(always)]
pub(crate) fn rdtsc() -> u64 {
    let (lo, hi): (u64, u64);
    // SAFETY: reads a register pair, touches neither memory nor flags.
    unsafe { asm!("rdtsc", out("rax") lo, out("rdx") hi, options(nostack, preserves_flags)) };
    (hi << 32) | lo
}

/// `lfence; rdtsc`: not before every earlier instruction has completed.
#[inline(always)]
pub(crate) fn lfence_rdtsc() -> u64 {
    let (lo, hi): (u64, u64);
    // SAFETY: as `rdtsc`; LFENCE has no effect but order.
    unsafe { asm!("lfence", "rdtsc", out("rax") lo, out("rdx") hi, options(nostack, preserves_flags)) };
    (hi << 32) | lo
}

/// `lfence; rdtsc; lfence`: after everything before it, before everything after it.
#[inline(always)]
pub(crate) fn lfence_rdtsc_lfence() -> u64 {
    let (lo, hi): (u64, u64);
    // SAFETY: as `lfence_rdtsc`.
    unsafe {
        asm!("lfence", "rdtsc", "lfence", out("rax") lo, out("rdx") hi, options(nostack, preserves_flags));
    };
    (hi << 32) | lo
}
