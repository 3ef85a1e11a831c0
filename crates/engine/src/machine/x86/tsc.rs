//! The time-stamp counter's generation, and what the kernel made of it.

use clockscope_analysis::record::{Clocksource, TscGeneration};

/// Whether the kernel's flags, if known, have that one.
pub(super) fn has(flags: Option<&[String]>, name: &str) -> bool {
    flags.is_some_and(|flags| flags.iter().any(|flag| flag == name))
}

/// The generation and its evidence, by EDX of CPUID 8000_0007H (`None`: no such leaf), the kernel's flags (`None`: not
/// known) and whether a hypervisor shows itself.
///
/// Bit 8 of CPUID 8000_0007H:EDX promises a constant rate in all P-, C- and T-states. The kernel sets
/// `constant_tsc` and `nonstop_tsc` by that bit, and `constant_tsc` alone by the model of older Intel CPUs
/// (`early_init_intel`, `early_init_amd`). In a guest a clear bit says little: hypervisors clear it to keep the
/// guest free to move.
pub(super) fn generation(edx: Option<u32>, flags: Option<&[String]>, guest: bool) -> (TscGeneration, Vec<String>) {
    let invariant = edx.is_some_and(|edx| edx >> 8 & 1 == 1);
    let [constant, nonstop] = ["constant_tsc", "nonstop_tsc"].map(|name| has(flags, name));
    let no = |there: bool| if there { "" } else { "no " };
    let mut evidence = vec![
        match edx {
            Some(edx) => format!("CPUID 8000_0007H:EDX[8] = {} (EDX {edx:08x}H)", edx >> 8 & 1),
            None => "the CPU has no CPUID leaf 8000_0007H".to_owned(),
        },
        match flags {
            Some(_) => format!("/proc/cpuinfo: {}constant_tsc, {}nonstop_tsc", no(constant), no(nonstop)),
            None => "the kernel's flags can't be read".to_owned(),
        },
    ];
    let generation = if invariant || (constant && nonstop) {
        TscGeneration::Invariant
    } else if constant {
        TscGeneration::Constant
    } else if guest || flags.is_none() {
        if guest {
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
    Some(match current {
        "tsc" => "the kernel keeps time by it".into(),
        "tsc-early" => "the kernel keeps time by it and still calibrates it".into(),
        other if clocksource.available.iter().any(|name| name == "tsc") => {
            format!("the kernel holds it for usable but keeps time by {other}")
        }
        _ if clocksource.available.is_empty() => return None,
        other => {
            let although = if has(flags, "constant_tsc") { " although its rate is constant" } else { "" };
            format!("the kernel rejected it{although} (not among the available clocksources) and keeps time by {other}")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::root::words;

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
            let seen = generation(edx, flags.map(words).as_deref(), guest).0;
            assert_eq!(seen, expected, "{edx:?} {flags:?} {guest}");
        }
        let (_, evidence) = generation(Some(0x7d0), Some(&words("constant_tsc")), false);
        let bits = ["CPUID 8000_0007H:EDX[8] = 1 (EDX 000007d0H)", "/proc/cpuinfo: constant_tsc, no nonstop_tsc"];
        assert_eq!(evidence, bits);
    }

    #[test]
    fn the_kernels_word() {
        for (current, available, flags, expected) in [
            (Some("tsc"), "tsc hpet", "", Some("the kernel keeps time by it")),
            (Some("kvm-clock"), "kvm-clock tsc", "", Some("usable")),
            (Some("hpet"), "hpet acpi_pm", "constant_tsc", Some("rejected it although")),
            (Some("hpet"), "hpet acpi_pm", "", Some("rejected it (not")),
            (Some("tsc-early"), "tsc-early hpet", "", Some("still calibrates")),
            (None, "tsc", "", None),
            (Some("hpet"), "", "", None),
        ] {
            let current = current.map(str::to_owned);
            let word = kernels_word(&Clocksource { current, available: words(available) }, Some(&words(flags)));
            assert_eq!(word.is_some(), expected.is_some());
            assert!(word.unwrap_or_default().contains(expected.unwrap_or_default()), "{available}");
        }
    }
}
