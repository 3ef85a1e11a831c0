//! The time CSR (RISC-V Unprivileged ISA, Zicntr).

use core::arch::asm;

/// `rdtime`: the wall-clock counter. May execute out of order.
#[inline(always)]
pub fn rdtime() -> u64 {
    let v: u64;
    // SAFETY: reads a counter that Linux lets user space read.
    unsafe { asm!("rdtime {}", out(reg) v, options(nostack, nomem, preserves_flags)) };
    v
}

/// `fence; rdtime`: not before every earlier access to memory or device has been made.
#[inline(always)]
pub fn fence_rdtime() -> u64 {
    let v: u64;
    // SAFETY: as `rdtime`; FENCE has no effect but order.
    unsafe { asm!("fence iorw, iorw", "rdtime {}", out(reg) v, options(nostack, preserves_flags)) };
    v
}
