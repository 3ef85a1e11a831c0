//! CPU model and vendor by `/proc/cpuinfo`, and the kernel's flags.

use super::root::Root;
use clockscope_analysis::record::Cpu;

/// How much of `/proc/cpuinfo` is read: the first CPUs' entries. The rest says the same again, and on a large
/// machine takes long to make.
const ENOUGH: u64 = 16 << 10;

pub(super) fn text(root: &Root) -> Result<String, String> {
    root.text_up_to("/proc/cpuinfo", ENOUGH)
}

/// The value of a field's first occurrence.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let values = text.lines().filter_map(|line| line.split_once(':'));
    values.filter(|(key, _)| key.trim() == name).map(|(_, value)| value.trim()).find(|value| !value.is_empty())
}

/// Vendor and model as `/proc/cpuinfo` words them: x86's names, else Arm's implementer and part, else RISC-V's.
pub(super) fn describe(text: &str) -> Cpu {
    let number = |name| field(text, name)?.parse().ok();
    let numbers = || Some([number("cpu family")?, number("model")?, number("stepping")?]);
    let vendor = field(text, "vendor_id").map(str::to_owned);
    let model = field(text, "model name").or_else(|| field(text, "uarch")).map(str::to_owned);
    Cpu {
        vendor: vendor.or_else(|| implementer(field(text, "CPU implementer")?)),
        model: model.or_else(|| Some(format!("part {}", field(text, "CPU part")?))),
        family_model_stepping: numbers(),
        microcode: field(text, "microcode").map(str::to_owned),
    }
}

/// Arm's implementer codes (MIDR_EL1.Implementer, Arm Architecture Reference Manual) of common server and
/// desktop parts; others as the number that the kernel prints.
fn implementer(code: &str) -> Option<String> {
    let number = u8::from_str_radix(code.strip_prefix("0x")?, 16).ok()?;
    let name = match number {
        0x41 => "ARM",
        0x42 => "Broadcom",
        0x43 => "Cavium",
        0x46 => "Fujitsu",
        0x48 => "HiSilicon",
        0x4e => "NVIDIA",
        0x50 => "APM",
        0x51 => "Qualcomm",
        0x61 => "Apple",
        0x6d => "Microsoft",
        0xc0 => "Ampere",
        _ => return Some(format!("implementer {code}")),
    };
    Some(name.into())
}

/// The first CPU's frequency as the kernel words it, kHz.
pub(super) fn khz(text: &str) -> Option<f64> {
    let mhz: f64 = field(text, "cpu MHz")?.parse().ok()?;
    (mhz.is_finite() && mhz > 1.0).then(|| (mhz * 1e3).round())
}

/// The kernel's flags that concern the time-stamp counter; `None` if the text has no flags at all.
pub(super) fn tsc_flags(text: &str) -> Option<Vec<String>> {
    let flags = field(text, "flags")?.split_ascii_whitespace();
    let ours = flags.filter(|flag| flag.contains("tsc") || *flag == "art");
    Some(ours.map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_architectures_words_and_garbage() {
        let x86 = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nmodel name\t: Intel(R) \
                   Xeon(R)\nstepping\t: 7\nflags\t\t: fpu tsc rdtscp constant_tsc art nonstop_tsc smart\n";
        let arm = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n";
        let garbage = "flags\n:::\nmodel name :\n\u{fffd}";
        for (text, vendor, model, family_model_stepping) in [
            (x86, Some("GenuineIntel"), Some("Intel(R) Xeon(R)"), Some([6, 85, 7])),
            (arm, Some("ARM"), Some("part 0xd0c"), None),
            ("uarch : sifive,u74-mc", None, Some("sifive,u74-mc"), None),
            (garbage, None, None, None),
        ] {
            let [vendor, model] = [vendor, model].map(|text| text.map(str::to_owned));
            assert_eq!(describe(text), Cpu { vendor, model, family_model_stepping, microcode: None });
        }
        assert_eq!(tsc_flags(x86).unwrap(), ["tsc", "rdtscp", "constant_tsc", "art", "nonstop_tsc"]);
        assert_eq!(khz("processor : 0\ncpu MHz\t\t: 2445.424\n"), Some(2_445_424.0));
        assert!([x86, arm, "cpu MHz : x", "cpu MHz : inf"].iter().all(|text| khz(text).is_none()));
        assert_eq!(tsc_flags("flags"), None);
        assert_eq!(implementer("0x99").as_deref(), Some("implementer 0x99"));
        assert_eq!(implementer("x"), None);
    }
}
