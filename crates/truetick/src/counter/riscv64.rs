//! The time CSR (RISC-V Unprivileged ISA, Zicntr).

use core::arch::asm;

/// `rdtime`: the wall-clock counter. May execute out of order. The harts' counters agree to within one tick (Zicntr).
#[inline(always)]
pub fn rdtime() -> u64 {
    let v: u64;
    // SAFETY: reads a counter that Linux lets user space read.
    unsafe { asm!("rdtime {}", out(reg) v, options(nostack, nomem, preserves_flags)) };
    v
}

/// `fence; rdtime; fence`: not before every earlier access to memory or device has been made, and before every later
/// one. (To a FENCE, reading the CSR `time` is input from a device: RISC-V Unprivileged ISA, Zicsr.)
#[inline(always)]
pub fn fence_rdtime_fence() -> u64 {
    let v: u64;
    // SAFETY: as `rdtime`; FENCE has no effect but order.
    unsafe {
        asm!("fence iorw, iorw", "rdtime {}", "fence ir, iorw", out(reg) v, options(nostack, preserves_flags));
    }
    v
}
