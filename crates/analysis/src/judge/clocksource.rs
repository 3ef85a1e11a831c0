//! The kernel's clocksources by the names that its drivers register (drivers/clocksource, arch/*/kernel).

/// What stands behind a clocksource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clocksource {
    /// The kernel's name for it.
    pub name: &'static str,
    /// The hardware that counts.
    pub timer: &'static str,
    /// Base of the catalog's clocks that read the same CPU counter; `None`: it is no counter of the CPU.
    pub counter: Option<&'static str>,
    /// Whether a hypervisor's page stands between, which may correct the counter for each CPU and after a migration.
    pub by_page: bool,
    /// Whether a process reads it without the kernel. Not so where a read leaves the CPU, or where it advances with the
    /// timer interrupt only; `None`: the host decides.
    pub fast: Option<bool>,
}

/// The name of the time-stamp counter as a clocksource, and the base of its clocks.
pub const TSC: &str = "tsc";

/// The known ones, the fast ones best first.
const KNOWN: [Clocksource; 13] = [
    source(TSC, "TSC", Some(TSC), false, Some(true)),
    // The same counter before its final calibration.
    source("tsc-early", "TSC", Some(TSC), false, Some(true)),
    source("kvm-clock", "TSC through KVM's page", Some(TSC), true, Some(true)),
    source("hyperv_clocksource_tsc_page", "TSC through Hyper-V's page", Some(TSC), true, Some(true)),
    source("arch_sys_counter", "ARM generic timer", Some("cntvct"), false, Some(true)),
    source("riscv_clocksource", "RISC-V time counter", Some("rdtime"), false, Some(true)),
    source("xen", "TSC through Xen's page", Some(TSC), true, None),
    source("hpet", "HPET", None, false, Some(false)),
    source("acpi_pm", "ACPI PM timer", None, false, Some(false)),
    source("pit", "PIT", None, false, Some(false)),
    source("jiffies", "timer interrupt", None, false, Some(false)),
    source("refined-jiffies", "timer interrupt", None, false, Some(false)),
    source("hyperv_clocksource_msr", "reference counter of Hyper-V", None, false, Some(false)),
];

const fn source(
    name: &'static str,
    timer: &'static str,
    counter: Option<&'static str>,
    by_page: bool,
    fast: Option<bool>,
) -> Clocksource {
    Clocksource { name, timer, counter, by_page, fast }
}

impl Clocksource {
    /// The clocksource of that name, if it is known here.
    pub fn of(name: &str) -> Option<&'static Self> {
        KNOWN.iter().find(|source| source.name == name)
    }

    /// Those that a process can read without the kernel, best first.
    pub(super) fn fast() -> impl Iterator<Item = &'static str> {
        KNOWN.iter().filter(|source| source.fast == Some(true)).map(|source| source.name)
    }

    /// Whether that one is the TSC itself, without a page between.
    pub(super) fn is_tsc(name: &str) -> bool {
        Self::of(name).is_some_and(|source| source.counter == Some(TSC) && !source.by_page)
    }

    pub(super) fn is_slow(name: &str) -> bool {
        Self::of(name).is_some_and(|source| source.fast == Some(false))
    }
}
