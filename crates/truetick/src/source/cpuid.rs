//! What the CPU says of the counter.

/// CPUID 8000_0007H:EDX\[8\]. A hypervisor traps each of the two questions.
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(crate) fn invariant() -> bool {
    use core::arch::x86_64::__cpuid;

    // Not unsafe any more in newer compilers than the oldest that this crate is built with.
    #[allow(unused_unsafe)]
    // SAFETY: every x86-64 has CPUID, and leaf 8000_0000H.
    let leaf = |leaf| unsafe { __cpuid(leaf) };
    leaf(0x8000_0000).eax >= 0x8000_0007 && leaf(0x8000_0007).edx & 1 << 8 != 0
}

/// The generic timer and `time` have a constant rate by architecture, and hypervisors keep it.
#[cfg(any(not(target_arch = "x86_64"), miri))]
pub(crate) fn invariant() -> bool {
    cfg!(any(target_arch = "aarch64", target_arch = "riscv64"))
}
