//! The hypervisor by its CPUID leaves, and what it offers to clocks.

use raw_cpuid::CpuIdReader;

use clockscope_analysis::record::{Frequency, Virtualization};

/// Where hypervisors' leaves begin. One that speaks as another (KVM with Hyper-V's interface, Xen likewise) has
/// its own at the next steps of 100H (kernel, `hypervisor_cpuid_base`).
const BASES: [u32; 3] = [0x4000_0000, 0x4000_0100, 0x4000_0200];

/// Signatures (EBX, ECX, EDX of the first leaf), without the padding at their ends.
const SIGNATURES: [(&str, &str); 16] = [
    ("KVMKVMKVM", "kvm"),
    ("Linux KVM Hv", "kvm"),
    ("Microsoft Hv", "hyper-v"),
    ("VMwareVMware", "vmware"),
    ("XenVMMXenVMM", "xen"),
    ("TCGTCGTCGTCG", "qemu-tcg"),
    ("VBoxVBoxVBox", "virtualbox"),
    ("bhyve bhyve", "bhyve"),
    ("prl hyperv", "parallels"),
    ("lrpepyh  vr", "parallels"),
    ("ACRNACRNACRN", "acrn"),
    ("HAXMHAXMHAXM", "haxm"),
    ("Jailhouse", "jailhouse"),
    ("NVMMNVMMNVMM", "nvmm"),
    ("OpenBSDVMM58", "openbsd-vmm"),
    ("QNXQVMBSQG", "qnx"),
];

/// The source that a leaf of the hypervisor is.
pub(super) const LEAF: &str = "hypervisor-leaf";

struct Interface {
    base: u32,
    most: u32,
    /// Ours for a known signature, else the signature.
    name: String,
}

/// What a bit of a hypervisor's leaf offers.
type Bits = &'static [(u32, &'static str)];

/// KVM's leaf base + 1 EAX (kernel, `virt/kvm/x86/cpuid.rst`): STEAL_TIME, CLOCKSOURCE_STABLE_BIT. Bits 0 and 3 are
/// CLOCKSOURCE and CLOCKSOURCE2, either of which is kvm-clock.
const KVM: Bits = &[(24, "kvm-clock-stable"), (5, "kvm-steal-time")];
/// Hyper-V's leaf base + 3 EAX (Hypervisor Top-Level Functional Specification, 'Feature Discovery'; kernel,
/// `hyperv-tlfs.h`).
const HYPER_V: Bits =
    &[(1, "reference-counter"), (9, "reference-tsc-page"), (13, "reenlightenment"), (15, "tsc-invariant-control")];
/// Xen's leaf base + 3 EAX (`xen/include/public/arch-x86/cpuid.h`).
const XEN: Bits = &[(0, "xen-tsc-emulated"), (1, "xen-host-tsc-reliable")];

/// The hypervisor and what it offers, and the TSC's frequency if it states it.
pub(super) fn detect(reader: &impl CpuIdReader) -> (Virtualization, Option<Frequency>) {
    // Leaf 1 ECX[31] is reserved for hypervisors to set (AMD APM volume 3; Intel keeps it 0).
    let guest = reader.cpuid1(1).ecx >> 31 == 1;
    if !guest {
        return (Virtualization { guest: Some(false), ..Virtualization::default() }, None);
    }
    let found: Vec<Interface> = BASES.iter().filter_map(|&base| interface(reader, base)).collect();
    let mut offers: Vec<&str> = Vec::new();
    let mut frequency = None;
    for &Interface { base, most, ref name } in &found {
        let mut offer = |register: u32, bits: Bits| {
            offers.extend(bits.iter().filter(|(bit, _)| register >> bit & 1 == 1).map(|(_, name)| name));
        };
        match name.as_str() {
            "kvm" => {
                let eax = reader.cpuid1(base + 1).eax;
                offer(eax | eax >> 3, &[(0, "kvm-clock")]);
                offer(eax, KVM);
            }
            "hyper-v" if most >= base + 3 => {
                let features = reader.cpuid1(base + 3);
                offer(features.eax, HYPER_V);
                // Its frequency MSRs need both EAX[11] and EDX[8].
                offer(features.eax >> 11 & features.edx >> 8, &[(0, "tsc-frequency-msr")]);
            }
            "xen" if most >= base + 3 => {
                let time = reader.cpuid1(base + 3);
                offer(time.eax, XEN);
                frequency = frequency.or(khz(time.ecx, base + 3));
            }
            _ => {}
        }
        // Leaf 4000_0010H, proposed by VMware and taken up by KVM's users and others: EAX is the TSC's frequency in
        // kHz. It is there only if the highest leaf says so. Hyper-V and Xen have other meanings for their leaves.
        if base == BASES[0] && most >= base + 0x10 && !matches!(name.as_str(), "hyper-v" | "xen") {
            frequency = frequency.or(khz(reader.cpuid1(base + 0x10).eax, base + 0x10));
        }
    }
    if frequency.is_some() {
        offers.push("tsc-frequency-leaf");
    }
    // Behind another's signature the one with a base of its own is the true one.
    let hypervisor = found.last().map(|interface| interface.name.clone());
    let offers = offers.into_iter().map(str::to_owned).collect();
    (Virtualization { guest: Some(true), hypervisor, offers }, frequency)
}

/// Why there is no leaf with a frequency.
pub(super) fn silent(seen: &Virtualization) -> String {
    match (&seen.guest, &seen.hypervisor) {
        (Some(true), Some(name)) => format!("the hypervisor ({name}) has no leaf that states it"),
        (Some(true), None) => "the hypervisor has no leaves".into(),
        _ => "no hypervisor is seen".into(),
    }
}

/// The leaves at `base`, if there are any. A first leaf whose EAX is no leaf of its range means 'base + 1': KVM
/// wrote 0 there (kernel, `virt/kvm/x86/cpuid.rst`).
fn interface(reader: &impl CpuIdReader, base: u32) -> Option<Interface> {
    let first = reader.cpuid1(base);
    let bytes = [first.ebx, first.ecx, first.edx].map(u32::to_le_bytes).concat();
    let text = bytes.iter().map(|&byte| if byte.is_ascii_graphic() { char::from(byte) } else { ' ' });
    let signature = text.collect::<String>().trim().to_owned();
    let most = if (base..base + 0x100).contains(&first.eax) { first.eax } else { base + 1 };
    // Without a signature there is nothing; CPUs echo their highest basic leaf for leaves that are not there,
    // and that never is a known signature at a later base.
    let known = SIGNATURES.iter().find(|(known, _)| *known == signature).map(|(_, name)| (*name).to_owned());
    let name = if base == BASES[0] { known.or(Some(signature).filter(|text| !text.is_empty())) } else { known };
    name.map(|name| Interface { base, most, name })
}

fn khz(khz: u32, leaf: u32) -> Option<Frequency> {
    let from = format!("CPUID {:04X}_{:04X}H of the hypervisor: {khz} kHz", leaf >> 16, leaf & 0xffff);
    (khz > 0).then(|| Frequency::read(LEAF, f64::from(khz) * 1e3, from, 1e3))
}

#[cfg(test)]
mod tests {
    use super::super::cpuid::fake::{Leaves, words};
    use super::*;

    type Leaf = (u32, [u32; 4]);

    fn first(base: u32, most: u32, signature: &str) -> Leaf {
        let [b, c, d] = words(signature);
        (base, [most, b, c, d])
    }

    /// What a guest with these leaves sees: the hypervisor, what it offers, the TSC's frequency.
    #[track_caller]
    fn sees(leaves: &[Leaf], hypervisor: Option<&str>, offers: &str, hz: Option<f64>) {
        let guest = (1, [0, 0, 1 << 31, 0]);
        let (machine, frequency) = detect(&Leaves([&[guest], leaves].concat()));
        let seen = (machine.guest, machine.hypervisor.as_deref(), machine.offers.join(" "));
        assert_eq!(seen, (Some(true), hypervisor, offers.to_owned()));
        assert_eq!(frequency.map(|f| f.hz), hz);
    }

    #[test]
    fn bare_metal_is_not_asked_further() {
        let (machine, frequency) = detect(&Leaves(vec![first(0x4000_0000, 0x4000_0010, "KVMKVMKVM")]));
        assert_eq!((machine.guest, machine.hypervisor, frequency), (Some(false), None, None));
    }

    #[test]
    fn kvm_with_and_without_its_clock() {
        let kvm = first(0x4000_0000, 0x4000_0001, "KVMKVMKVM");
        let all = "kvm-clock kvm-clock-stable kvm-steal-time";
        sees(&[kvm, (0x4000_0001, [0x0100_7efb, 0, 0, 0])], Some("kvm"), all, None);
        sees(&[kvm, (0x4000_0001, [1 << 4, 0, 0, 0])], Some("kvm"), "", None);
        let old = first(0x4000_0000, 0, "KVMKVMKVM");
        sees(&[old, (0x4000_0001, [1, 0, 0, 0])], Some("kvm"), "kvm-clock", None);
    }

    #[test]
    fn the_frequency_leaf_only_where_the_highest_leaf_reaches_it() {
        let leaf = (0x4000_0010, [2_596_145, 0, 0, 0]);
        let vmware = |most| first(0x4000_0000, most, "VMwareVMware");
        sees(&[vmware(0x4000_0010), leaf], Some("vmware"), "tsc-frequency-leaf", Some(2.596_145e9));
        sees(&[vmware(0x4000_000f), leaf], Some("vmware"), "", None);
        sees(&[vmware(0x4000_0010)], Some("vmware"), "", None);
        sees(&[first(0x4000_0000, 0x4000_0082, "Microsoft Hv"), leaf], Some("hyper-v"), "", None);
    }

    #[test]
    fn hyper_v_bits_and_kvm_behind_them() {
        let hyper_v = first(0x4000_0000, 0x4000_000b, "Microsoft Hv");
        let bits = 1 << 1 | 1 << 9 | 1 << 11 | 1 << 13 | 1 << 15;
        let all = "reference-counter reference-tsc-page reenlightenment tsc-invariant-control tsc-frequency-msr";
        sees(&[hyper_v, (0x4000_0003, [bits, 0, 0, 1 << 8])], Some("hyper-v"), all, None);
        sees(&[hyper_v, (0x4000_0003, [1 << 11, 0, 0, 0])], Some("hyper-v"), "", None);
        let page = (0x4000_0003, [1 << 9, 0, 0, 0]);
        let kvm = [first(0x4000_0100, 0x4000_0101, "KVMKVMKVM"), (0x4000_0101, [1 << 3, 0, 0, 0])];
        sees(&[hyper_v, page, kvm[0], kvm[1]], Some("kvm"), "reference-tsc-page kvm-clock", None);
    }

    #[test]
    fn xen_strangers_and_the_silent() {
        let xen = first(0x4000_0000, 0x4000_0005, "XenVMMXenVMM");
        let offers = "xen-host-tsc-reliable tsc-frequency-leaf";
        sees(&[xen, (0x4000_0003, [2, 0, 2_000_000, 0])], Some("xen"), offers, Some(2e9));
        sees(&[first(0x4000_0000, 0, "NobodyKnows")], Some("NobodyKnows"), "", None);
        sees(&[], None, "", None);
    }
}
