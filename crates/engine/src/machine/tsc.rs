//! The time-stamp counter's generation, and what the kernel made of it.

use clockscope_analysis::record::{Clocksource, TscGeneration};

/// What the generation is concluded from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts<'a> {
    /// EDX of CPUID 8000_0007H; `None`: no such leaf.
    pub(super) power_management: Option<u32>,
    /// The kernel's flags; `None`: not known.
    pub(super) flags: Option<&'a [String]>,
    /// Whether a hypervisor shows itself.
    pub(super) guest: bool,
}

impl Facts<'_> {
    fn flag(&self, name: &str) -> bool {
        self.flags.is_some_and(|flags| flags.iter().any(|flag| flag == name))
    }
}

/// The generation and its evidence.
///
/// Bit 8 of CPUID 8000_0007H:EDX promises a constant rate in all P-, C- and T-states. The kernel sets
/// `constant_tsc` and `nonstop_tsc` by that bit, and `constant_tsc` alone by the model of older Intel CPUs
/// (`early_init_intel`, `early_init_amd`). In a guest a clear bit says little: hypervisors clear it to keep the
/// guest free to move.
pub(super) fn generation(facts: &Facts) -> (TscGeneration, Vec<String>) {
    let invariant = facts.power_management.map(|edx| edx >> 8 & 1 == 1);
    let mut evidence = vec![match facts.power_management {
        Some(edx) => format!("CPUID 8000_0007H:EDX[8] = {} (EDX {edx:08x}H)", edx >> 8 & 1),
        None => "the CPU has no CPUID leaf 8000_0007H".to_owned(),
    }];
    evidence.push(match facts.flags {
        Some(flags) => {
            let named = ["constant_tsc", "nonstop_tsc"].map(|name| {
                let sign = if flags.iter().any(|flag| flag == name) { "" } else { "no " };
                format!("{sign}{name}")
            });
            format!("/proc/cpuinfo: {}", named.join(", "))
        }
        None => "the kernel's flags can't be read".to_owned(),
    });
    let (constant, nonstop) = (facts.flag("constant_tsc"), facts.flag("nonstop_tsc"));
    let generation = if invariant == Some(true) || (constant && nonstop) {
        TscGeneration::Invariant
    } else if constant {
        TscGeneration::Constant
    } else if facts.guest || facts.flags.is_none() {
        if facts.guest {
            evidence.push("a hypervisor may hide the bit, so that its absence decides nothing".into());
        }
        TscGeneration::Unknown
    } else {
        TscGeneration::Variant
    };
    (generation, evidence)
}

/// What the kernel made of the counter, in words, if the clocksource is known.
///
/// A TSC found unstable loses its flag for high resolution and with that leaves the list of available
/// clocksources; one that was never registered is not on it either. `dmesg`, which says why, is privileged.
pub(super) fn kernels_word(clocksource: &Clocksource, flags: Option<&[String]>) -> Option<String> {
    let current = clocksource.current.as_deref()?;
    let constant = flags.is_some_and(|flags| flags.iter().any(|flag| flag == "constant_tsc"));
    Some(match current {
        "tsc" => "the kernel keeps time by it".into(),
        "tsc-early" => "the kernel keeps time by it and still calibrates it".into(),
        other if clocksource.available.iter().any(|name| name == "tsc") => {
            format!("the kernel holds it for usable but keeps time by {other}")
        }
        _ if clocksource.available.is_empty() => return None,
        other if constant => format!(
            "the kernel rejected it although its rate is constant (not among the available clocksources) and \
             keeps time by {other}"
        ),
        other => {
            format!("the kernel rejected it (not among the available clocksources) and keeps time by {other}")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(text: &str) -> Vec<String> {
        text.split_ascii_whitespace().map(str::to_owned).collect()
    }

    fn concluded(edx: Option<u32>, text: Option<&str>, guest: bool) -> TscGeneration {
        let flags = text.map(flags);
        generation(&Facts { power_management: edx, flags: flags.as_deref(), guest }).0
    }

    #[test]
    fn each_generation() {
        use TscGeneration::{Constant, Invariant, Unknown, Variant};
        for (edx, flags, guest, expected) in [
            (Some(0x100), None, false, Invariant),
            (Some(0x100), Some("tsc"), true, Invariant),
            (Some(0), Some("constant_tsc nonstop_tsc"), false, Invariant),
            (Some(0), Some("constant_tsc"), false, Constant),
            (None, Some("constant_tsc"), true, Constant),
            (Some(0xff), Some("tsc"), false, Variant),
            (None, Some("tsc"), false, Variant),
            (Some(0), Some("tsc"), true, Unknown),
            (Some(0), None, false, Unknown),
            (None, None, false, Unknown),
        ] {
            assert_eq!(concluded(edx, flags, guest), expected, "{edx:?} {flags:?} {guest}");
        }
    }

    #[test]
    fn evidence_names_bit_and_register() {
        let known = flags("constant_tsc");
        let facts = Facts { power_management: Some(0x7d0), flags: Some(&known), guest: false };
        let (_, evidence) = generation(&facts);
        assert_eq!(evidence[0], "CPUID 8000_0007H:EDX[8] = 1 (EDX 000007d0H)");
        assert_eq!(evidence[1], "/proc/cpuinfo: constant_tsc, no nonstop_tsc");
    }

    #[test]
    fn the_kernels_word() {
        let word = |current: Option<&str>, available: &str, known: &str| {
            let clocksource =
                Clocksource { current: current.map(str::to_owned), available: flags(available) };
            kernels_word(&clocksource, Some(&flags(known)))
        };
        assert_eq!(word(Some("tsc"), "tsc hpet", "").unwrap(), "the kernel keeps time by it");
        assert!(word(Some("kvm-clock"), "kvm-clock tsc", "").unwrap().contains("usable"));
        assert!(word(Some("hpet"), "hpet acpi_pm", "constant_tsc").unwrap().contains("rejected it although"));
        assert!(word(Some("hpet"), "hpet acpi_pm", "").unwrap().contains("rejected it (not"));
        assert!(word(Some("tsc-early"), "tsc-early hpet", "").unwrap().contains("still calibrates"));
        assert_eq!(word(None, "tsc", ""), None);
        assert_eq!(word(Some("hpet"), "", ""), None);
    }
}
