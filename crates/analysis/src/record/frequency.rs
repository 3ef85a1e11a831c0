//! Every source of the counter's frequency.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Finding, Interval, Ntp, Tool, Unavailable};

/// The report's schema and version; a change that breaks a reader raises the number.
pub const FREQUENCY_SCHEMA: &str = "clockscope-frequency/1";

/// What `clockscope frequency` found out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FrequencyReport {
    /// Always `clockscope-frequency/1`.
    pub schema: String,
    /// The program that wrote this.
    pub tool: Tool,
    /// The counter, as `tsc`: the clock that all ways of reading it are of.
    pub counter: Option<String>,
    /// The clock that ours is measured against.
    pub reference: String,
    /// The CPU that the reader was pinned to; `null` where it could not be pinned.
    pub cpu: Option<u32>,
    /// The kernel's clocksource; `null` where that is not known.
    pub clocksource: Option<String>,
    /// Time that was measured for, s.
    pub over_s: f64,
    /// Ours: the counter's frequency by the reference, Hz.
    pub measured_hz: Option<Interval>,
    /// The frequency to trust.
    pub trusted: Option<TrustedFrequency>,
    /// The whole kHz that the kernel takes the counter to have (its `tsc_khz`).
    pub kernel: Option<KernelFrequency>,
    /// One entry a source, the measured ones first.
    pub sources: Vec<FrequencySource>,
    /// Sources that say nothing here, with the reason.
    pub unavailable: Vec<Unavailable>,
    /// What is to be known beside the figures, a sentence or two each.
    pub remarks: Vec<String>,
    /// The kernel's clock discipline at the start.
    pub ntp: Option<Ntp>,
    /// The same at the end.
    pub ntp_end: Option<Ntp>,
    /// What the rules found that bears on a frequency.
    pub findings: Vec<Finding>,
    /// Whether the run was stopped before its end.
    pub interrupted: bool,
    /// What a person should know of the run.
    pub notes: Vec<String>,
    /// What could not be obtained and why; keys are field names.
    pub missing: BTreeMap<String, String>,
}

/// One source's word on the frequency.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FrequencySource {
    /// Its name: a clock's id where the counter was measured against one, else `cpuid-15h`, `pvclock-page`, ….
    pub source: String,
    /// Whose word it is.
    pub origin: FrequencyOrigin,
    /// Where it was read, or how it was measured.
    pub provenance: String,
    /// The frequency, Hz. The ends are a 95 % interval where it was measured; else they are what the source's own rounding
    /// permits, and say nothing of its truth.
    pub hz: Interval,
    /// The step in which the source states frequencies, Hz; `null` where it was measured, or nobody knows.
    pub step_hz: Option<f64>,
    /// Its frequency beside ours, ppm; positive: higher. The interval is that of what was measured: a stated one counts as it
    /// stands. `null` without ours.
    pub off_ppm: Option<Interval>,
    /// The step that a finer frequency seems to have been cut to, Hz: 1000, 2000 or 1,000,000. It is a whole number of them and
    /// lies below the trusted one by less than one, beyond doubt.
    pub cut_to_hz: Option<f64>,
    /// Of a clock: whether its own time is reckoned from this counter, so that agreement tells nothing of the truth.
    pub of_the_counter: Option<bool>,
    /// Of a clock: whether a page of the hypervisor makes the counter its time.
    pub by_page: bool,
    /// Of a clock: whether NTP steers its rate.
    pub steered: bool,
    /// Of a clock: readings that the figure rests on.
    pub readings: Option<u64>,
}

impl FrequencySource {
    /// What somebody says of it, nothing else being known.
    pub fn new(source: &str, origin: FrequencyOrigin, provenance: String, hz: Interval) -> Self {
        Self {
            source: source.into(),
            origin,
            provenance,
            hz,
            step_hz: None,
            off_ppm: None,
            cut_to_hz: None,
            of_the_counter: None,
            by_page: false,
            steered: false,
            readings: None,
        }
    }
}

/// Whose word a frequency is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FrequencyOrigin {
    /// Measured in this run, against a clock.
    Measured,
    /// The CPU states it.
    Cpu,
    /// The hypervisor states it.
    Hypervisor,
    /// The kernel works with it.
    Kernel,
    /// Somebody states it of the CPU's core, which need not be the counter's.
    Core,
}

/// The frequency to trust.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrustedFrequency {
    /// Which source's it is.
    pub source: String,
    /// The frequency, Hz.
    pub hz: Interval,
    /// Why, in a sentence.
    pub because: String,
    /// How far the steered clock's own rate may be off the true one at most, by `adjtimex`, ppm; `null` where nobody steers it.
    pub bound_ppm: Option<f64>,
}

/// The frequency that the kernel works with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KernelFrequency {
    /// Whole kHz; the ends differ where several are possible.
    pub khz: Interval,
    /// Where it was read, or what it was derived from.
    pub by: String,
}
