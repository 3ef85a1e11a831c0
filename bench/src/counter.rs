//! The bare counter, by the compiler's own intrinsics.

use std::arch::x86_64::{__rdtscp, _mm_lfence, _rdtsc};

#[inline(always)]
pub(crate) fn rdtsc() -> u64 {
    // SAFETY: reads a register pair.
    unsafe { _rdtsc() }
}

#[inline(always)]
pub(crate) fn lfence_rdtsc() -> u64 {
    // SAFETY: LFENCE is part of SSE2, which every x86-64 has.
    unsafe { _mm_lfence() };
    rdtsc()
}

#[inline(always)]
pub(crate) fn rdtscp() -> (u64, u32) {
    let mut aux = 0;
    // SAFETY: writes to `aux`; every CPU with a counter that is worth a comparison has RDTSCP.
    let ticks = unsafe { __rdtscp(&raw mut aux) };
    (ticks, aux)
}
