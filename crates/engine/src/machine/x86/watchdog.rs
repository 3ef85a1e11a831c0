//! Whether the kernel's clocksource watchdog watches the time-stamp counter.
//!
//! The kernel does not say, but decides by rules that can be followed (`arch/x86/kernel/tsc.c`): the counter's
//! clocksource is born with CLOCK_SOURCE_MUST_VERIFY, and `tsc_disable_clocksource_watchdog` takes it off
//!
//! * if the counter is marked reliable: `tsc=reliable`, or X86_FEATURE_TSC_RELIABLE, which hypervisors' guest
//!   code sets (VMware, Hyper-V with invariant control, TDX, SEV-SNP secure TSC) as do some SoCs;
//! * on `tsc=nowatchdog`;
//! * for a TSC that is constant, non-stop and has TSC_ADJUST, on machines small enough: at most 2 NUMA nodes
//!   (commit b50db7095fe0, Linux 5.16, carried back to 5.15.7, 5.10.84 and 5.4.164), 4 nodes (233756a640be,
//!   Linux 6.6), 4 packages (b4bac279319d, Linux 6.12).
//!
//! `tsc=watchdog` made the TSC watch other timers (Linux 6.3 to 7.0); since the watchdog was rewritten it puts
//! the TSC under watch whatever else holds.

use super::tsc;
use crate::machine::kernel::Version;

#[derive(Debug, Clone, Default)]
pub(super) struct Conditions<'a> {
    pub(super) kernel: Option<Version>,
    pub(super) flags: Option<&'a [String]>,
    /// The kernel's options that touch clocks.
    pub(super) options: &'a [String],
    pub(super) current: Option<&'a str>,
    pub(super) nodes: Option<u32>,
    pub(super) packages: Option<u32>,
}

/// First kernel in which `tsc=watchdog` puts the TSC under watch: the rewrite of March 2026 came too late for 7.0.
const ENFORCED: Version = (7, 1, 0);

/// Whether the watchdog watches the TSC, and what that is concluded from; `None` where nobody can say.
pub(super) fn watched(machine: &Conditions) -> (Option<bool>, String) {
    match machine.current {
        Some("tsc") => {}
        Some(other) => return (None, format!("not relevant: the current clocksource is {other}")),
        None => return (None, "the current clocksource is not known".into()),
    }
    let options: Vec<&str> = machine.options.iter().filter_map(|option| option.strip_prefix("tsc=")).collect();
    // Of the two that contradict each other the last one counts where the first is understood at all.
    let enforced = options.iter().rfind(|o| **o == "watchdog" || **o == "nowatchdog") == Some(&"watchdog");
    if enforced {
        match machine.kernel {
            Some(kernel) if kernel >= ENFORCED => return (Some(true), "kernel option tsc=watchdog".into()),
            Some(_) => {}
            None => return (None, "tsc=watchdog is given, but the kernel's version is not known".into()),
        }
    }
    for option in ["reliable", "nowatchdog"] {
        if options.contains(&option) {
            return (Some(false), format!("kernel option tsc={option}"));
        }
    }
    let Some(flags) = machine.flags else {
        return (None, "the kernel's flags can't be read".into());
    };
    let has = |name: &str| tsc::has(Some(flags), name);
    if has("tsc_reliable") {
        return (Some(false), "the kernel marks the TSC as reliable (tsc_reliable)".into());
    }
    let missing: Vec<&str> =
        ["constant_tsc", "nonstop_tsc", "tsc_adjust"].into_iter().filter(|name| !has(name)).collect();
    if missing.is_empty() {
        exempt(machine)
    } else {
        (Some(true), format!("no {}: the kernel trusts no such TSC unwatched", missing.join(", no ")))
    }
}

/// A TSC with all three flags: the size of the machine decides, up to which a kernel leaves it unwatched.
fn exempt(machine: &Conditions) -> (Option<bool>, String) {
    let flags = "constant_tsc, nonstop_tsc and tsc_adjust";
    let Some(kernel) = machine.kernel else {
        return (None, format!("{flags}; whether that suffices depends on the kernel's version, not known"));
    };
    let (major, minor, patch) = kernel;
    let carried_back = matches!((major, minor, patch), (5, 15, 7..) | (5, 10, 84..) | (5, 4, 164..));
    let (size, most, unit) = match kernel {
        (6, 12.., _) | (7.., ..) => (machine.packages, 4, "CPU package(s)"),
        (6, 6.., _) => (machine.nodes, 4, "NUMA node(s)"),
        (5, 16.., _) | (6, ..) => (machine.nodes, 2, "NUMA node(s)"),
        _ if carried_back => (machine.nodes, 2, "NUMA node(s)"),
        _ => {
            let older = format!("{flags}, on a kernel older than the rule that exempts such machines");
            return match machine.nodes {
                Some(nodes) if nodes > 4 => (Some(true), format!("{older}; with {nodes} NUMA nodes none does")),
                _ => (None, format!("{older}, unless its maker carried the rule back")),
            };
        }
    };
    let Some(size) = size else {
        return (None, format!("{flags}; Linux {major}.{minor} goes by the {unit}, not known"));
    };
    let (joined, only) = if size > most { ("but", "") } else { ("and", "only ") };
    let rule = format!("Linux {major}.{minor} watches such a TSC {only}above {most}");
    (Some(size > most), format!("{flags}, {joined} {size} {unit}: {rule}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::kernel::version;
    use crate::machine::root::words;

    const GOOD: &str = "tsc constant_tsc nonstop_tsc tsc_known_freq tsc_adjust";

    fn case(kernel: &str, flags: &str, options: &str, nodes: u32, packages: u32) -> Option<bool> {
        let (flags, options) = (words(flags), words(options));
        let (watched, evidence) = watched(&Conditions {
            kernel: version(kernel),
            flags: Some(&flags),
            options: &options,
            current: Some("tsc"),
            nodes: Some(nodes),
            packages: Some(packages),
        });
        assert!(!evidence.is_empty());
        watched
    }

    #[test]
    fn a_good_tsc_is_watched_above_the_kernels_limit() {
        for (kernel, nodes, packages, expected) in [
            ("6.18.44", 1, 1, Some(false)),
            ("6.12.0", 8, 4, Some(false)),
            ("6.12.0", 2, 5, Some(true)),
            ("6.8.0-31-generic", 4, 8, Some(false)),
            ("6.8.0-31-generic", 5, 1, Some(true)),
            ("6.1.0-18-amd64", 2, 2, Some(false)),
            ("6.1.0-18-amd64", 3, 2, Some(true)),
            ("5.15.7", 1, 1, Some(false)),
            ("5.15.0-100-generic", 1, 1, None),
            ("5.10.83", 1, 1, None),
            ("5.10.84", 1, 1, Some(false)),
            ("4.18.0-553.el8", 2, 2, None),
            ("4.18.0-553.el8", 8, 8, Some(true)),
            ("unknown", 1, 1, None),
        ] {
            assert_eq!(case(kernel, GOOD, "", nodes, packages), expected, "{kernel} {nodes} {packages}");
        }
    }

    #[test]
    fn flags_and_options() {
        for flag in ["constant_tsc", "nonstop_tsc", "tsc_adjust"] {
            assert_eq!(case("6.18.0", &GOOD.replace(flag, ""), "", 1, 1), Some(true), "{flag}");
        }
        assert_eq!(case("6.18.0", "tsc tsc_reliable", "", 8, 8), Some(false));
        for (flags, options, kernel, expected) in [
            ("tsc", "tsc=reliable", "6.1.0", Some(false)),
            ("tsc", "tsc=nowatchdog", "6.1.0", Some(false)),
            ("tsc", "tsc=recalibrate", "6.1.0", Some(true)),
            ("tsc", "tsc=watchdog", "6.18.0", Some(true)),
            ("tsc", "tsc=watchdog tsc=reliable", "6.18.0", Some(false)),
            ("tsc", "tsc=watchdog tsc=reliable", "7.1.0", Some(true)),
            ("tsc", "tsc=watchdog tsc=nowatchdog", "7.1.0", Some(false)),
            ("tsc", "tsc=nowatchdog tsc=watchdog", "7.1.0", Some(true)),
            ("tsc", "tsc=nowatchdog tsc=watchdog", "6.18.0", Some(false)),
            ("tsc", "tsc=watchdog", "unknown", None),
            (GOOD, "tsc=watchdog", "6.18.0", Some(false)),
            (GOOD, "tsc=watchdog", "7.1.0", Some(true)),
        ] {
            assert_eq!(case(kernel, flags, options, 1, 1), expected, "{flags} {options} {kernel}");
        }
    }

    #[test]
    fn not_relevant_or_not_known() {
        let flags = words(GOOD);
        let none = Conditions { kernel: Some((6, 18, 0)), flags: Some(&flags), ..Conditions::default() };
        for (current, flags) in [
            (None, Some(&*flags)),
            (Some("kvm-clock"), Some(&*flags)),
            (Some("tsc"), Some(&*flags)),
            (Some("tsc"), None),
        ] {
            assert_eq!(watched(&Conditions { flags, current, ..none.clone() }).0, None, "{current:?}");
        }
    }
}
