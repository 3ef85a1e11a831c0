//! How often and for how long CPUs are taken away from a thread.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Finding, Interval};
pub use crate::analyze::attribution::Cause;

/// What `clockscope interruptions` found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InterruptionReport {
    /// Always `clockscope-interruptions/1`.
    pub schema: String,
    /// The clock whose nanoseconds all nanoseconds here are.
    pub reference: String,
    /// The clock that was read back to back.
    pub witness: String,
    /// One entry a CPU that was watched.
    pub cpus: Vec<CpuInterruptions>,
    /// What the rules found in it, worst first.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// Whether the run was stopped before its end (a signal).
    pub interrupted: bool,
    /// What a reader should know of the run.
    pub notes: Vec<String>,
}

/// One CPU, watched by a thread that is pinned to it and does nothing but read a clock.
///
/// The time watched is that of the reads which followed one another at once (`seen_ns`), and that of the interruptions
/// (`lost_ns`); beside them stands the time that the instrument took to look for causes (`looking_ns`), in which nobody
/// watched. What interrupted such a look for long is in `lost_ns`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CpuInterruptions {
    /// The CPU.
    pub cpu: u32,
    /// Two reads that are farther apart than this are an interruption, ns.
    pub longer_than_ns: f64,
    /// From one read to the next, on average, ns: each length is known to this.
    pub read_ns: Option<f64>,
    /// Time in which the thread ran, ns.
    pub seen_ns: f64,
    /// Time in which it stood still, ns.
    pub lost_ns: f64,
    /// Time that looking for causes took, ns.
    pub looking_ns: f64,
    /// The share of the time that was lost, 0 to 1: `lost_ns` of `seen_ns` and `lost_ns`, but what is so long that a look does
    /// not hide it of the looks' time as well. `null` where nothing was watched.
    pub lost_share: Option<f64>,
    /// Interruptions; exact.
    pub count: u64,
    /// Interruptions a second: each length by the time in which it would have been seen, as in `lost_share`.
    pub per_s: Option<f64>,
    /// Median of their lengths, ns; like the next two with the 95 % interval of order statistics. Of fewer than six the ends are
    /// the shortest and the longest, which hold it less often.
    pub median_ns: Option<Interval>,
    /// 99 % are no longer; `null` of fewer than 100, which do not tell it from the longest.
    pub p99_ns: Option<Interval>,
    /// 99.9 % are no longer; `null` of fewer than 1000.
    pub p999_ns: Option<Interval>,
    /// The longest, ns.
    pub longest_ns: Option<f64>,
    /// Where the time went, most of it first.
    pub causes: Vec<LostTo>,
    /// The lengths in classes of 1, 2, 5, 10 …; empty ones left out.
    pub lengths: Vec<LengthClass>,
    /// The longest interruptions, longest first; ten at most.
    pub longest: Vec<Interruption>,
    /// Interrupts that the CPU took, a second, by what they are for; empty where /proc/interrupts can't be read.
    pub interrupts_per_s: BTreeMap<String, f64>,
    /// What could not be obtained and why; keys are field names.
    pub missing: BTreeMap<String, String>,
}

/// What one cause took.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LostTo {
    /// The cause.
    pub cause: Cause,
    /// Time, ns: its shares of all interruptions.
    pub lost_ns: f64,
    /// The same as a share of all time lost, 0 to 1.
    pub share: f64,
    /// Interruptions of which it has the largest share.
    pub count: u64,
    /// Median of their lengths, ns.
    pub median_ns: Option<f64>,
    /// The longest of them, ns.
    pub longest_ns: Option<f64>,
}

/// Interruptions of about one length.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LengthClass {
    /// From this length on, ns.
    pub from_ns: f64,
    /// Up to this one, ns.
    pub below_ns: f64,
    /// How many.
    pub count: u64,
    /// Their time, ns.
    pub lost_ns: f64,
}

/// One interruption.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interruption {
    /// How long it was, ns.
    pub length_ns: f64,
    /// When it began, since the start of the run, ns.
    pub at_ns: f64,
    /// When it began by the system's own word: UTC, as RFC 3339 has it; `null` where the wall clock can't be read.
    pub time: Option<String>,
    /// The cause with the largest share.
    pub cause: Cause,
    /// Its time by cause, ns.
    pub by_cause_ns: BTreeMap<Cause, f64>,
}
