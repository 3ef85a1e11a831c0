//! The kernel: release, options that touch clocks, clocksource, governor, load.

use super::root::Root;

/// Options by name, with `_` for `-` (the kernel takes both alike).
const NAMES: &str = "clock clocksource disable_timer_pin_1 enable_timer_pin_1 highres hpet hpet_mmap idle \
    intel_idle.max_cstate isolcpus lpj no_kvmclock no_kvmclock_vsyscall no_steal_acc no_timer_check nohpet nohz nohz_full \
    nohlt notsc no_vmw_sched_clock pmtmr processor.max_cstate skew_tick timer_migration tsc tsc_early_khz \
    x86_intel_mid_timer xen_timer_slop";

/// Beginnings of further ones.
const PREFIXES: [&str; 5] = ["acpi_pm", "acpi_no_pm", "clocksource.", "cpuidle", "vdso"];

/// The kernel command line's options that touch clocks, as given. What stands behind `--` is for init.
pub(super) fn clock_options(line: &str) -> Vec<String> {
    let mut quoted = false;
    let words = line.trim().split(|c: char| {
        quoted ^= c == '"';
        c.is_ascii_whitespace() && !quoted
    });
    let ours = |word: &&str| {
        let name = word.trim_start_matches('"').split('=').next().unwrap_or_default().replace('-', "_");
        NAMES.split(' ').any(|known| known == name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
    };
    words.take_while(|word| *word != "--").filter(ours).map(str::to_owned).collect()
}

/// A kernel's version: major, minor, patch (0 where the release names none).
pub(super) type Version = (u32, u32, u32);

/// The version at the start of a release such as `6.1.0-18-amd64`.
pub(super) fn version(release: &str) -> Option<Version> {
    let end = release.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(release.len());
    let mut numbers = release[..end].split('.');
    let (major, minor) = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
    Some((major, minor, numbers.next().and_then(|n| n.parse().ok()).unwrap_or(0)))
}

/// The `current` clocksource, or the `available` ones.
pub(super) fn clocksource(root: &Root, which: &str) -> Result<String, String> {
    root.word(&format!("{}/{which}_clocksource", crate::sweep::FOLDER))
}

/// The clocksource in use; `None` where that can't be read. Costs some microseconds.
pub fn current_clocksource() -> Option<String> {
    clocksource(&Root::default(), "current").ok()
}

/// The frequency governor of a CPU. Guests commonly have none.
pub(super) fn governor(root: &Root, cpu: u32) -> Result<String, String> {
    root.word(&format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor"))
}

pub(super) fn load(root: &Root) -> Result<[f64; 3], String> {
    let path = "/proc/loadavg";
    let text = root.word(path)?;
    let words = text.split_ascii_whitespace().take(3).filter_map(|word| word.parse().ok());
    let load: Vec<f64> = words.filter(|n: &f64| n.is_finite() && *n >= 0.0).collect();
    load.try_into().map_err(|_| format!("{path} holds no load averages"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::root::tree;

    #[test]
    fn only_options_that_touch_clocks_a_quoted_value_being_one_word() {
        let line = "BOOT_IMAGE=/vmlinuz root=UUID=1234 ro quiet tsc=reliable clocksource=hpet no-kvmclock notsc \
                    nohz_full=1-3 processor.max_cstate=1 cpuidle_haltpoll.force=1 acpi_pm_good hostname=secret \
                    tscx=1 clocksource.verify_n_cpus=-1 lpj=5 -- tsc=unstable";
        let ours = "tsc=reliable clocksource=hpet no-kvmclock notsc nohz_full=1-3 processor.max_cstate=1 \
                    cpuidle_haltpoll.force=1 acpi_pm_good clocksource.verify_n_cpus=-1 lpj=5";
        let quoted = r#"dyndbg="file x tsc=unstable" hpet=force "#;
        for (line, ours) in [(line, ours), (quoted, "hpet=force"), ("", ""), ("\"", "")] {
            assert_eq!(clock_options(line).join(" "), ours);
        }
    }

    #[test]
    fn versions() {
        for (release, expected) in [
            ("6.1.0-18-amd64", Some((6, 1, 0))),
            ("5.15.167.4-microsoft-standard-WSL2", Some((5, 15, 167))),
            ("6.18-rc1", Some((6, 18, 0))),
            ("", None),
            ("6", None),
            ("six.one", None),
            ("6.x", None),
            ("99999999999.1", None),
        ] {
            assert_eq!(version(release), expected, "{release:?}");
        }
    }

    #[test]
    fn load_of_garbage_is_a_reason() {
        let usual = "0.40 0.29 0.11 1/89 10090";
        for (text, fine) in [(usual, true), ("0.4 x 1", false), ("NaN 1 1", false), ("1 2", false)] {
            let (_dir, root) = tree(&[("/proc/loadavg", text)]);
            assert_eq!(load(&root).is_ok(), fine, "{text:?}");
        }
    }
}
