//! The generic timer's virtual counter (Arm ARM, D12: The Generic Timer).

use core::arch::asm;

/// `mrs CNTVCT_EL0`: the bare virtual count. May execute out of order.
#[inline(always)]
pub(crate) fn cntvct() -> u64 {
    let v: u64;
    // SAFETY: reads a system register that Linux lets user space read.
    unsafe { asm!("mrs {}, cntvct_el0", out(reg) v, options(nostack, nomem, preserves_flags)) };
    v
}

/// `isb; mrs CNTVCT_EL0`: not before every earlier instruction has completed.
#[inline(always)]
pub(crate) fn isb_cntvct() -> u64 {
    let v: u64;
    // SAFETY: as `cntvct`; ISB has no effect but order.
    unsafe { asm!("isb", "mrs {}, cntvct_el0", out(reg) v, options(nostack, preserves_flags)) };
    v
}

/// `mrs CNTVCTSS_EL0`: the self-synchronized count.
///
/// # Safety
/// The CPU must have FEAT_ECV (`HWCAP2_ECV`), else the instruction is undefined.
#[inline(always)]
pub(crate) unsafe fn cntvctss() -> u64 {
    let v: u64;
    // SAFETY: the caller vouches for FEAT_ECV. S3_3_C14_C0_6 is CNTVCTSS_EL0's encoding, spelled out
    // because older assemblers don't know its name.
    unsafe { asm!("mrs {}, s3_3_c14_c0_6", out(reg) v, options(nostack, preserves_flags)) };
    v
}

/// `CNTFRQ_EL0`: the counter's frequency in Hz as the firmware states it (0 where it forgot to).
#[inline(always)]
pub(crate) fn cntfrq() -> u64 {
    let v: u64;
    // SAFETY: reads a system register that Linux lets user space read.
    unsafe { asm!("mrs {}, cntfrq_el0", out(reg) v, options(nostack, nomem, preserves_flags)) };
    v & 0xffff_ffff
}
