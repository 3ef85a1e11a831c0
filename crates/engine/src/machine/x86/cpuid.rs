//! What CPUID says: vendor and model, invariant TSC, stated frequencies.

use raw_cpuid::{CpuId, CpuIdReader};

use super::super::common::Word;
use clockscope_analysis::record::{Cpu, Frequency};

/// Vendor (leaf 0), model (8000_0002H to 4H), family, model and stepping (1).
pub(super) fn describe(reader: &impl CpuIdReader) -> Cpu {
    let cpuid = CpuId::with_cpuid_reader(reader.clone());
    let text = |text: &str| {
        let words: Vec<&str> = text.split(|c: char| c.is_control() || c.is_whitespace()).collect();
        let text = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        // What raw-cpuid puts where the bytes are no text.
        (!text.is_empty() && !text.starts_with("Invalid")).then_some(text)
    };
    Cpu {
        vendor: cpuid.get_vendor_info().and_then(|vendor| text(vendor.as_str())),
        model: cpuid.get_processor_brand_string().and_then(|brand| text(brand.as_str())),
        family_model_stepping: family(reader),
        // No instruction tells it; the kernel does.
        microcode: None,
    }
}

/// Family, model and stepping by leaf 1 EAX; `None` if all of it is zero. The extended family counts only on
/// top of family 0fH, the extended model only with families 06H and 0fH (Intel SDM volume 2, CPUID,
/// 'DisplayFamily_DisplayModel'; AMD says the same). The crate's own sum overflows on a CPU that says 0ffH.
fn family(reader: &impl CpuIdReader) -> Option<[u32; 3]> {
    let eax = reader.cpuid1(1).eax;
    let (base, low) = (eax >> 8 & 0xf, eax >> 4 & 0xf);
    let family = if base == 0xf { base + (eax >> 20 & 0xff) } else { base };
    let model = if matches!(base, 6 | 0xf) { low | (eax >> 16 & 0xf) << 4 } else { low };
    (eax != 0).then_some([family, model, eax & 0xf])
}

/// EDX of CPUID 8000_0007H, whose bit 8 is 'invariant TSC' (Intel SDM volume 3, 'Invariant TSC'; AMD APM
/// volume 3, appendix E); `None` if the CPU has no such leaf.
pub(super) fn power_management(reader: &impl CpuIdReader) -> Option<u32> {
    const LEAF: u32 = 0x8000_0007;
    let most = reader.cpuid1(0x8000_0000).eax;
    (LEAF..=0x8000_ffff).contains(&most).then(|| reader.cpuid1(LEAF).edx)
}

/// What the CPU states, or why it does not.
///
/// * 15H: EAX denominator, EBX numerator, ECX crystal in Hz: TSC = ECX · EBX / EAX (Intel SDM volume 2, CPUID;
///   any of them 0: not stated).
/// * 16H: EAX\[15:0\] is the processor's base frequency in MHz. The SDM says that this is a nameplate figure; the
///   TSC ticks at it on parts whose ratio is a whole multiple, and only to the MHz.
pub(super) fn frequencies(reader: &impl CpuIdReader) -> Vec<Word> {
    let cpuid = CpuId::with_cpuid_reader(reader.clone());
    let most = reader.cpuid1(0).eax;
    let none = |leaf: &str| format!("CPUID has no leaf {leaf}: its highest is {most:X}H");
    let crystal = cpuid.get_tsc_info().ok_or_else(|| none("15H")).and_then(|info| {
        let [crystal, numerator, denominator] = [info.nominal_frequency(), info.numerator(), info.denominator()];
        let ratio = f64::from(numerator) / f64::from(denominator);
        let hz = f64::from(crystal) * ratio;
        let from = format!("CPUID 15H: a crystal of {crystal} Hz, times {numerator}/{denominator}");
        let is_stated = hz > 0.0 && hz.is_finite();
        is_stated.then(|| Frequency::read(CRYSTAL, hz, from.clone(), ratio)).ok_or(format!("{from}: not stated"))
    });
    let base = cpuid.get_processor_frequency_info().ok_or_else(|| none("16H")).and_then(|info| {
        let mhz = info.processor_base_frequency();
        let from = format!("CPUID 16H: a base frequency of {mhz} MHz");
        (mhz > 0)
            .then(|| Frequency::read(BASE, f64::from(mhz) * 1e6, from.clone(), 1e6))
            .ok_or(format!("{from}: not stated"))
    });
    vec![(CRYSTAL.into(), crystal), (BASE.into(), base)]
}

const CRYSTAL: &str = "cpuid-15h";
const BASE: &str = "cpuid-16h";

#[cfg(test)]
pub(super) mod fake {
    use raw_cpuid::{CpuIdReader, CpuIdResult};

    /// A made-up CPU: leaf, EAX, EBX, ECX, EDX. Leaves that are not there read as zero.
    #[derive(Clone)]
    pub(in crate::machine) struct Leaves(pub(in crate::machine) Vec<(u32, [u32; 4])>);

    impl CpuIdReader for Leaves {
        fn cpuid2(&self, leaf: u32, subleaf: u32) -> CpuIdResult {
            let found = self.0.iter().find(|(number, _)| *number == leaf && subleaf == 0);
            let [eax, ebx, ecx, edx] = found.map_or([0; 4], |(_, registers)| *registers);
            CpuIdResult { eax, ebx, ecx, edx }
        }
    }

    /// Twelve characters as the registers of a signature, in the order given.
    pub(in crate::machine) fn words(text: &str) -> [u32; 3] {
        let mut bytes = [0u8; 12];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        [0, 4, 8].map(|at| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()))
    }
}

#[cfg(test)]
mod tests {
    use super::fake::{Leaves, words};
    use super::*;

    fn with(max: u32, leaves: &[(u32, [u32; 4])]) -> Leaves {
        let [b, d, c] = words("GenuineIntel");
        Leaves([&[(0, [max, b, c, d])], leaves].concat())
    }

    #[test]
    fn crystal_and_base_where_they_are_stated() {
        let stated = |max, leaves: &[_]| -> Vec<(String, f64)> {
            let words = frequencies(&with(max, leaves)).into_iter();
            words.filter_map(|(source, word)| Some((source, word.ok()?.hz))).collect()
        };
        let both = [(0x15, [2, 216, 24_000_000, 0]), (0x16, [0xabcd_0a20, 0, 0, 0])];
        assert_eq!(stated(0x16, &both), [("cpuid-15h".into(), 2.592e9), ("cpuid-16h".into(), 2.592e9)]);
        assert_eq!(stated(0x14, &both), [], "there are no such leaves");
        for registers in [[0, 216, 24_000_000, 0], [2, 0, 24_000_000, 0], [2, 216, 0, 0]] {
            assert_eq!(stated(0x16, &[(0x15, registers)]), []);
        }
        let why = |max| frequencies(&with(max, &[])).remove(0).1.unwrap_err();
        assert_eq!(why(0x14), "CPUID has no leaf 15H: its highest is 14H");
        assert!(why(0x16).contains("a crystal of 0 Hz, times 0/0"), "{}", why(0x16));
    }

    #[test]
    fn names() {
        let [a, b, c] = words("AMD   EPYC  ");
        let cpu = with(
            1,
            &[
                (1, [0x00a1_0f11, 0, 0, 0]),
                (0x8000_0000, [0x8000_0007, 0, 0, 0]),
                (0x8000_0002, [a, b, c, 0x2020_2020]),
                (0x8000_0007, [0, 0, 0, 0x100]),
            ],
        );
        // DisplayFamily 0fH + 0aH, DisplayModel 1 << 4 | 1, stepping 1.
        let family_model_stepping = Some([25, 17, 1]);
        let (vendor, model) = (Some("GenuineIntel".into()), Some("AMD EPYC".into()));
        assert_eq!(describe(&cpu), Cpu { vendor, model, family_model_stepping, microcode: None });
        assert_eq!(power_management(&cpu), Some(0x100));
        // Family 6 takes the extended model, not the extended family.
        for (eax, expected) in [(0x0ff5_0657, [6, 0x55, 7]), (0x0ff5_0557, [5, 5, 7]), (u32::MAX, [270, 255, 15])] {
            assert_eq!(family(&with(1, &[(1, [eax, 0, 0, 0])])), Some(expected));
        }
    }

    #[test]
    fn a_cpu_that_says_nothing() {
        let short = [(0x8000_0000, [0x8000_0006, 0, 0, 0]), (0x8000_0007, [0, 0, 0, 0x100])];
        for leaves in [&[][..], &short] {
            let cpu = Leaves(leaves.to_vec());
            assert_eq!((describe(&cpu), power_management(&cpu)), (Cpu::default(), None));
        }
    }
}
