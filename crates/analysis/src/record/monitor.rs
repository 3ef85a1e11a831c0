//! What `clockscope monitor` saw: clocks watched against a reference for as long as it ran.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Faults, Interval, Ntp, Rate, Tool};

/// What `clockscope monitor` saw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MonitorReport {
    /// Always `clockscope-monitor/1`.
    pub schema: String,
    /// The program that wrote the report.
    pub tool: Tool,
    /// The clock that the others were watched against; all times are its.
    pub reference: String,
    /// When the run began, by the system's own word: UTC, as RFC 3339 has it.
    pub started: Option<String>,
    /// Time between two looks at the clocks, s, as asked for.
    pub every_s: f64,
    /// Time from the first look to the last, s.
    pub watched_s: f64,
    /// Looks that were made.
    pub looks: u64,
    /// Looks that were not made, because the machine, or this program, stood still at their time.
    pub missed_looks: u64,
    /// One entry a clock.
    pub clocks: Vec<Monitored>,
    /// Steps, slews, sleeps and changes, oldest first: the first 512 and the latest 512.
    pub events: Vec<MonitorEvent>,
    /// Events that are not listed.
    pub events_omitted: u64,
    /// How long the machine slept meanwhile, ns: bounds.
    pub suspended_ns: Option<Interval>,
    /// The kernel's clock discipline at the start.
    pub ntp_start: Option<Ntp>,
    /// The same at the end.
    pub ntp_end: Option<Ntp>,
    /// Whether the run was ended before its time (a signal, a key).
    pub interrupted: bool,
    /// What a person should know of the run.
    pub notes: Vec<String>,
    /// What could not be obtained and why; keys are field names.
    pub missing: BTreeMap<String, String>,
}

/// One clock, watched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Monitored {
    /// Its id.
    pub clock: String,
    /// Nanoseconds a count: as stated, or, where nothing is stated, as measured by the reference when the run began.
    pub count_ns: f64,
    /// Looks at it.
    pub looks: u64,
    /// By how much it gained on the reference since the first look, ns: bounds.
    pub gained_ns: Option<Interval>,
    /// How fast it ran by the reference over the whole run, steps left out.
    pub rate: Option<Rate>,
    /// The last interval.
    pub last: Option<MonitorRow>,
    /// Noise of one look at its offset, ns, one standard deviation; `null` before some 50 looks.
    pub noise_ns: Option<f64>,
    /// Steps smaller than this can't be told from noise, ns.
    pub least_step_ns: Option<f64>,
    /// Changes of the rate smaller than this can't be told from noise within four intervals, ppm.
    pub least_slew_ppm: Option<f64>,
    /// Steps of the offset.
    pub steps: u64,
    /// Changes of the rate.
    pub slews: u64,
    /// Reads that were watched for faults.
    pub reads: u64,
    /// Reads that an interruption made impossible to judge.
    pub undecided: u64,
    /// Reads that returned an error.
    pub failed_reads: u64,
    /// Reads that returned less than an earlier one, and why not counted here where the clock was set.
    pub regressions: Faults,
    /// Advances that were more, or less, than time can have passed.
    pub warps: Faults,
    /// Times that the reader stood still while it read this clock. The first read of a look counts as none: after a sleep caches
    /// are cold, and a library's clock takes its time to fit itself anew.
    pub interruptions: u64,
    /// The Allan deviations and the time interval error over averaging times in octaves.
    pub stability: Vec<StabilityPoint>,
    /// Looks that were missed and are filled in by a line between their neighbours in `stability`.
    pub filled_looks: u64,
    /// What could not be obtained and why; keys are field names.
    pub missing: BTreeMap<String, String>,
}

/// One clock at one look: a line of the stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MonitorRow {
    /// Time since the first look, s, by the reference.
    pub at_s: f64,
    /// The clock.
    pub clock: String,
    /// What it gained on the reference since the first look, ns: the middle of its bounds.
    pub gained_ns: f64,
    /// No less than this, for certain.
    pub gained_low_ns: f64,
    /// No more than this.
    pub gained_high_ns: f64,
    /// Its rate by the reference over the last interval, less 1, ppm; `null`, as the next two, at the first look.
    pub rate_ppm: Option<f64>,
    /// No less than this, for certain.
    pub rate_low_ppm: Option<f64>,
    /// No more than this.
    pub rate_high_ppm: Option<f64>,
    /// The same since the first look, where no step was seen: the rate over the whole.
    pub whole_ppm: Option<f64>,
    /// No less than this, for certain.
    pub whole_low_ppm: Option<f64>,
    /// No more than this.
    pub whole_high_ppm: Option<f64>,
    /// Faults since the look before: readings that went back, and jumps.
    pub faults: u64,
    /// Times that the reader stood still since the look before, its first read left out.
    pub interruptions: u64,
    /// By how much this look came too late, ns.
    pub late_ns: f64,
    /// What the kernel says of its clock: `synchronised` or `unsynchronised` and the frequency that it is steered by; `null`
    /// where it does not tell.
    pub ntp: Option<String>,
    /// What was found since the look before, of this clock or of all.
    pub events: Vec<MonitorEvent>,
}

/// What happens to a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MonitorKind {
    /// Its offset jumped.
    Step,
    /// Its rate changed.
    Slew,
    /// The machine slept.
    Suspend,
    /// The wall clock was set.
    ClockSet,
    /// The kernel took another clocksource.
    Clocksource,
    /// The hypervisor disrupted the counter: the machine was moved to another host, or restored.
    Disruption,
    /// The kernel's clock discipline changed its state.
    Ntp,
    /// Looks were missed.
    Missed,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MonitorEvent {
    /// What.
    pub kind: MonitorKind,
    /// To which clock; `null`: to all.
    pub clock: Option<String>,
    /// When, since the first look, s.
    pub at_s: f64,
    /// Within this much of it, s.
    pub at_uncertainty_s: f64,
    /// How far the offset jumped, how long the machine slept or for how long nobody looked, ns; of a slew `null`.
    pub size_ns: Option<Interval>,
    /// By how much the rate changed, ppm; `null` of all but slews.
    pub change_ppm: Option<Interval>,
    /// What did it, as far as that can be told.
    pub cause: Option<String>,
    /// What says so, or what else is to be known.
    pub evidence: String,
}

/// How stable a clock is over one averaging time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StabilityPoint {
    /// The averaging time, s.
    pub tau_s: f64,
    /// Allan deviation, overlapping.
    pub adev: Option<Deviation>,
    /// Modified Allan deviation.
    pub mdev: Option<Deviation>,
    /// Time deviation, ns.
    pub tdev_ns: Option<Deviation>,
    /// Maximum time interval error, ns: the largest range of the offset within the time.
    pub mtie_ns: Option<f64>,
    /// The power law that the noise follows there; `null` where it can't be told.
    pub noise: Option<String>,
}

/// A deviation with the 95 % interval that its degrees of freedom leave.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Deviation {
    /// The estimate.
    pub value: f64,
    /// Lower end; `null` where there are too few data for an interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}
