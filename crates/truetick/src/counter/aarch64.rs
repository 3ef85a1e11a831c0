//! The generic timer's virtual counter (Arm ARM, D12: The Generic Timer).

use core::arch::asm;

/// `mrs CNTVCT_EL0`: the bare virtual count. May execute out of order.
#[inline(always)]
pub fn cntvct() -> u64 {
    let v: u64;
    // SAFETY: reads a system register that Linux lets user space read.
    unsafe { asm!("mrs {}, cntvct_el0", out(reg) v, options(nostack, nomem, preserves_flags)) };
    v
}

/// `isb; mrs CNTVCT_EL0`: not before every earlier branch is decided. An earlier load may still be under way, unless a
/// branch depends on what it loads (as in taking a lock): an ISB waits for what comes before it to be executed, not for memory
/// that is under way. Linux's vDSO reads it by the same two instructions.
#[inline(always)]
pub fn isb_cntvct() -> u64 {
    let v: u64;
    // SAFETY: as `cntvct`; ISB has no effect but order.
    unsafe { asm!("isb", "mrs {}, cntvct_el0", out(reg) v, options(nostack, preserves_flags)) };
    v
}

/// As [`isb_cntvct`], and nothing later in the program is done before it either, as far as it is ordered after
/// a load (an acquire fence, a release store): a load of the stack that depends on the count, as Linux's
/// `arch_counter_enforce_ordering` (arch/arm64/include/asm/arch_timer.h) makes it. A bare read of the register is
/// no access to memory, and no fence would hold it back.
#[inline(always)]
pub fn isb_cntvct_load() -> u64 {
    let v: u64;
    // SAFETY: as `isb_cntvct`; the load is of the word at the stack pointer, which every thread may read.
    unsafe {
        asm!(
            "isb",
            "mrs {v}, cntvct_el0",
            "eor {t}, {v}, {v}",
            "add {t}, sp, {t}",
            "ldr xzr, [{t}]",
            v = out(reg) v,
            t = out(reg) _,
            options(preserves_flags)
        );
    };
    v
}

/// `mrs CNTVCTSS_EL0`: the self-synchronized count.
///
/// # Safety
/// The CPU must have FEAT_ECV (`HWCAP2_ECV`), else the instruction is undefined.
#[cfg(feature = "__counter")]
#[inline(always)]
pub unsafe fn cntvctss() -> u64 {
    let v: u64;
    // SAFETY: the caller vouches for FEAT_ECV. S3_3_C14_C0_6 is CNTVCTSS_EL0's encoding, spelled out
    // because older assemblers don't know its name.
    unsafe { asm!("mrs {}, s3_3_c14_c0_6", out(reg) v, options(nostack, preserves_flags)) };
    v
}

/// `CNTFRQ_EL0`: the counter's frequency in Hz as the firmware states it (0 where it forgot to).
#[cfg(feature = "__counter")]
#[inline(always)]
pub fn cntfrq() -> u64 {
    let v: u64;
    // SAFETY: reads a system register that Linux lets user space read.
    unsafe { asm!("mrs {}, cntfrq_el0", out(reg) v, options(nostack, nomem, preserves_flags)) };
    v & 0xffff_ffff
}
