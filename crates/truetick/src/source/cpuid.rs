//! What the CPU and the hypervisor say of the counter.

use super::choose::Hypervisor;

/// CPUID 8000_0007H:EDX\[8\], and the hypervisor with its word. A hypervisor traps each of up to six
/// questions.
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(crate) fn ask() -> (bool, Option<Hypervisor>) {
    use core::arch::x86_64::__cpuid;

    let invariant = __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx & 1 << 8 != 0;
    // Leaf 1, ECX[31]: a hypervisor is there; it names itself in 4000_0000H.
    if __cpuid(1).ecx & 1 << 31 == 0 {
        return (invariant, None);
    }
    let top = __cpuid(0x4000_0000);
    let mut name = [0; 12];
    for (part, register) in name.chunks_exact_mut(4).zip([top.ebx, top.ecx, top.edx]) {
        part.copy_from_slice(&register.to_le_bytes());
    }
    let hypervisor = match &name {
        // Documentation/virt/kvm/x86/cpuid.rst, bit 24.
        b"KVMKVMKVM\0\0\0" => Hypervisor::Kvm { stable: __cpuid(0x4000_0001).eax & 1 << 24 != 0 },
        // Hypervisor Top Level Functional Specification, 4000_0003H:EAX[15].
        b"Microsoft Hv" => Hypervisor::HyperV { invariant: __cpuid(0x4000_0003).eax & 1 << 15 != 0 },
        _ => Hypervisor::Other,
    };
    (invariant, Some(hypervisor))
}

/// The generic timer and `time` have a constant rate by architecture, and hypervisors keep it.
#[cfg(any(not(target_arch = "x86_64"), miri))]
pub(crate) fn ask() -> (bool, Option<Hypervisor>) {
    (cfg!(any(target_arch = "aarch64", target_arch = "riscv64")), None)
}
