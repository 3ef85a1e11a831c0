//! The time-stamp counter (Intel SDM vol. 2, RDTSC / RDTSCP; AMD APM vol. 3).

use core::arch::asm;

/// `rdtsc`: the bare counter. May execute before earlier and after later instructions.
#[inline(always)]
pub fn rdtsc() -> u64 {
    let (lo, hi): (u64, u64);
    // SAFETY: reads a register pair, touches neither memory nor flags.
    unsafe { asm!("rdtsc", out("rax") lo, out("rdx") hi, options(nostack, preserves_flags)) };
    (hi << 32) | lo
}

/// `lfence; rdtsc`: not before every earlier instruction has completed.
#[inline(always)]
pub fn lfence_rdtsc() -> u64 {
    let (lo, hi): (u64, u64);
    // SAFETY: as `rdtsc`; LFENCE has no effect but order.
    unsafe { asm!("lfence", "rdtsc", out("rax") lo, out("rdx") hi, options(nostack, preserves_flags)) };
    (hi << 32) | lo
}

/// `lfence; rdtsc; lfence`: after everything before it, before everything after it.
#[inline(always)]
pub fn lfence_rdtsc_lfence() -> u64 {
    let (lo, hi): (u64, u64);
    // SAFETY: as `lfence_rdtsc`.
    unsafe {
        asm!("lfence", "rdtsc", "lfence", out("rax") lo, out("rdx") hi, options(nostack, preserves_flags));
    };
    (hi << 32) | lo
}

/// `rdtscp`: not before every earlier instruction has executed; also returns IA32_TSC_AUX, which Linux
/// fills with `node << 12 | cpu`.
#[cfg(feature = "__counter")]
#[inline(always)]
pub fn rdtscp() -> (u64, u32) {
    let (lo, hi): (u64, u64);
    let aux: u32;
    // SAFETY: reads a register pair and IA32_TSC_AUX, touches neither memory nor flags.
    unsafe {
        asm!("rdtscp", out("rax") lo, out("rdx") hi, out("ecx") aux, options(nostack, preserves_flags));
    };
    ((hi << 32) | lo, aux)
}

/// `rdtscp; lfence`: after everything before it, before everything after it, with the CPU it ran on.
#[cfg(feature = "__counter")]
#[inline(always)]
pub fn rdtscp_lfence() -> (u64, u32) {
    let (lo, hi): (u64, u64);
    let aux: u32;
    // SAFETY: as `rdtscp`.
    unsafe {
        asm!("rdtscp", "lfence", out("rax") lo, out("rdx") hi, out("ecx") aux,
             options(nostack, preserves_flags));
    };
    ((hi << 32) | lo, aux)
}

/// `cpuid; rdtsc`: the fully serializing read of Intel's white paper. A hypervisor traps CPUID, which
/// makes this cost microseconds in a guest.
#[cfg(feature = "__counter")]
#[inline(always)]
pub fn cpuid_rdtsc() -> u64 {
    let (lo, hi): (u64, u64);
    // SAFETY: CPUID leaf 0 exists on every x86-64; RBX, which the compiler reserves, is kept by hand.
    unsafe {
        asm!("mov {save}, rbx", "xor eax, eax", "xor ecx, ecx", "cpuid", "rdtsc", "mov rbx, {save}",
             save = out(reg) _, out("rax") lo, out("rdx") hi, out("rcx") _, options(nostack));
    };
    (hi << 32) | lo
}
