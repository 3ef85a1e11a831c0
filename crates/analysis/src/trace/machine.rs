//! Facts about the machine.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The machine that a record was made on. Nothing here identifies it unless asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// Host name; only on request.
    pub hostname: Option<String>,
    /// A pseudonym that stays the same as long as the system is not installed anew, and tells nothing of it; only on request.
    #[serde(default)]
    pub id: Option<String>,
    /// Operating system, e.g. `linux`.
    pub os: String,
    /// Architecture, e.g. `x86_64`.
    pub arch: String,
    /// Kernel release, e.g. `6.1.0-18-amd64`.
    pub kernel: Option<String>,
    /// CPU model and vendor.
    pub cpu: Cpu,
    /// CPUs.
    pub cpus: Cpus,
    /// Hypervisor, if one is seen.
    pub virtualization: Virtualization,
    /// The kernel's clocksource.
    pub clocksource: Clocksource,
    /// The time-stamp counter, on x86.
    pub tsc: Option<Tsc>,
    /// The kernel's clock discipline; `null` where `adjtimex` fails.
    pub ntp: Option<Ntp>,
    /// PTP hardware clocks, by number.
    #[serde(default)]
    pub ptp: Vec<Ptp>,
    /// The hypervisor's VMClock; `null` where there is none, or with the reason in `unreadable`.
    #[serde(default)]
    pub vmclock: Option<VmClock>,
    /// Kernel command line options that touch clocks, as given.
    pub kernel_options: Vec<String>,
    /// Frequency governor of the CPU measured on.
    pub governor: Option<String>,
    /// Load averages over 1, 5 and 15 minutes.
    pub load: Option<[f64; 3]>,
    /// Offsets of this process's time namespace, if it has any.
    pub time_namespace: Option<TimeNamespace>,
    /// Kind of container, if one is seen (`docker`, `podman`, `kubernetes`, `lxc`, …).
    pub container: Option<String>,
    /// Facts that could not be read, with the reason, one `name: reason` a line.
    pub unreadable: Vec<String>,
}

/// CPU model and vendor.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cpu {
    /// Vendor, e.g. `AuthenticAMD`.
    pub vendor: Option<String>,
    /// Model name.
    pub model: Option<String>,
    /// Family, model and stepping numbers, x86's way.
    pub family_model_stepping: Option<[u32; 3]>,
    /// The microcode's revision as the kernel prints it, e.g. `0x2b000639`; a hypervisor may show one of its own.
    #[serde(default)]
    pub microcode: Option<String>,
}

/// CPUs of the machine and of this process.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cpus {
    /// CPUs on line.
    pub online: Option<u32>,
    /// CPUs that this process may run on (taskset, cpusets).
    pub allowed: Vec<u32>,
    /// CPUs that the scheduler leaves alone (`isolcpus=`); empty in records of versions that did not look.
    #[serde(default)]
    pub isolated: Vec<u32>,
    /// CPUs' worth of time that the cgroup's quota grants, if limited.
    pub quota: Option<f64>,
    /// NUMA nodes on line.
    pub nodes: Option<u32>,
}

/// Hypervisor and what it offers to clocks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Virtualization {
    /// Whether CPUID's hypervisor bit is set; `null` where there is no CPUID.
    pub guest: Option<bool>,
    /// Hypervisor by its CPUID signature: `kvm`, `hyper-v`, `vmware`, `xen`, `qemu-tcg`, … or the raw signature.
    pub hypervisor: Option<String>,
    /// Clock features that it offers, e.g. `kvm-clock`, `kvm-clock-stable`, `tsc-frequency-leaf`, `reference-tsc-page`.
    pub offers: Vec<String>,
}

/// The kernel's clocksource.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Clocksource {
    /// Current one; `null` where /sys does not say.
    pub current: Option<String>,
    /// Available ones, in the kernel's order.
    pub available: Vec<String>,
}

/// The time-stamp counter.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tsc {
    /// Generation, with its evidence beside it.
    pub generation: TscGeneration,
    /// What the CPU itself says of it (CPUID 8000_0007H:EDX\[8\]), as programs read it that do not ask the kernel; `null`
    /// where it has no such leaf, and in records of versions that did not state it.
    #[serde(default)]
    pub invariant_bit: Option<bool>,
    /// What the generation is concluded from.
    pub evidence: Vec<String>,
    /// The kernel's flags about it: `constant_tsc`, `nonstop_tsc`, `tsc_reliable`, `tsc_known_freq`, `tsc_adjust` ….
    pub flags: Vec<String>,
    /// Whether the kernel watches it with its clocksource watchdog; `null` where that can't be told.
    pub watchdog: Option<bool>,
    /// What that is concluded from.
    pub watchdog_evidence: String,
    /// Stated frequencies by source, Hz: `cpuid-15h`, `cpuid-16h`, `hypervisor-leaf`, `pvclock-page`,
    /// `pvclock-whole-khz` (what the kernel keeps of the page's), `hyperv-tsc-page`, `measured`.
    pub frequencies_hz: Vec<Frequency>,
    /// What the kernel says of the frequency that it works with itself, by source: `perf-page`, `vdso-page`, `kernel-log`,
    /// and of the core `cpuinfo`. Only `clockscope frequency` asks for it.
    #[serde(default)]
    pub kernel_frequencies_hz: Vec<Frequency>,
    /// Sources that were asked and state no frequency, with the reason.
    #[serde(default)]
    pub frequencies_missing: BTreeMap<String, String>,
    /// Whether the process may execute RDTSC (`prctl(PR_GET_TSC)`).
    pub readable: bool,
}

/// One source's word on a frequency.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Frequency {
    /// Who says so.
    pub source: String,
    /// The frequency, Hz.
    pub hz: f64,
    /// Where it was read, and what stood there; empty in records of versions that did not say.
    #[serde(default)]
    pub read_from: String,
    /// How much the next higher value that could stand there is above this one, Hz; `null` where that is not known.
    #[serde(default)]
    pub step_hz: Option<f64>,
}

impl Frequency {
    /// A frequency, where it was read, and the step that its source states frequencies in, Hz.
    pub fn read(source: &str, hz: f64, read_from: String, step_hz: f64) -> Self {
        Self { source: source.into(), hz, read_from, step_hz: Some(step_hz) }
    }
}

impl Tsc {
    /// Takes what sources were found to say.
    pub fn state(&mut self, words: Vec<(String, Result<Frequency, String>)>) {
        for (source, word) in words {
            match word {
                Ok(frequency) => self.frequencies_hz.push(frequency),
                Err(why) => drop(self.frequencies_missing.insert(source, why)),
            }
        }
    }
}

/// Generations of the time-stamp counter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TscGeneration {
    /// Rate follows the core's clock.
    Variant,
    /// Constant rate, may stop in deep sleep.
    Constant,
    /// Constant rate, never stops.
    Invariant,
    /// Can't be told.
    #[default]
    Unknown,
}

/// The kernel's clock discipline, by `adjtimex(2)`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ntp {
    /// Whether the kernel holds its clock for synchronised (no `STA_UNSYNC`, state not `TIME_ERROR`).
    pub synchronised: bool,
    /// Status flags by name, e.g. `STA_PLL`.
    pub status: Vec<String>,
    /// Clock state by name: `TIME_OK`, `TIME_INS`, `TIME_DEL`, `TIME_OOP`, `TIME_WAIT`, `TIME_ERROR`.
    pub state: String,
    /// Frequency correction, ppm.
    pub frequency_ppm: f64,
    /// Offset still to be slewed, ns.
    pub offset_ns: f64,
    /// Maximum error, ns (the kernel's unsynchronised default is 16 s).
    pub max_error_ns: f64,
    /// Estimated error, ns.
    pub est_error_ns: f64,
    /// TAI − UTC, s; 0 where nobody has set it.
    pub tai_offset_s: i32,
    /// Microseconds that the clock is moved on for each of 100 (USER_HZ) ticks a second: 10 000 runs at the nominal
    /// rate, each 1 more or less is 100 ppm. `null` in records of versions that did not ask.
    #[serde(default)]
    pub tick_us: Option<i64>,
}

/// A PTP hardware clock (/sys/class/ptp).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ptp {
    /// Its device, e.g. `ptp0`.
    pub device: String,
    /// Its name by its driver, e.g. `KVM virtual PTP` or `ena-ptp-05`.
    pub name: Option<String>,
    /// How far from UTC it may be, ns, where the device's driver tells (`phc_error_bound`, AWS's ENA).
    pub error_bound_ns: Option<f64>,
}

/// The hypervisor's VMClock (/dev/vmclock0).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VmClock {
    /// Another value each time that the counter was disrupted (a live migration, a snapshot restored).
    pub disruption_marker: u64,
}

/// Offsets of a time namespace.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimeNamespace {
    /// Offset of CLOCK_MONOTONIC, ns.
    pub monotonic_ns: f64,
    /// Offset of CLOCK_BOOTTIME, ns.
    pub boottime_ns: f64,
}
