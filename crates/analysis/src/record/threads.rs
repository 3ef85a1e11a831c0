//! What threads saw that read a clock at once.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Finding, Interval};
use crate::analyze::attribution::Cause;

/// What `clockscope threads` found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadsReport {
    /// Always `clockscope-threads/1`.
    pub schema: String,
    /// The clock whose nanoseconds all nanoseconds here are.
    pub reference: String,
    /// CPUs that the process might use; `null` where the system does not tell.
    pub cpus: Option<u64>,
    /// CPUs' worth of time that the cgroup's quota grants; `null` where nothing limits it.
    pub cpu_quota: Option<f64>,
    /// One entry a clock.
    pub clocks: Vec<ThreadsClock>,
    /// What the rules found in it, worst first.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// Whether the run was stopped before its end (a signal).
    pub interrupted: bool,
    /// What else is to be known of the run.
    pub notes: Vec<String>,
}

/// One clock, read by threads at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadsClock {
    /// The clock's id.
    pub clock: String,
    /// Nanoseconds a count of it, by which all counts are made nanoseconds.
    pub count_ns: Interval,
    /// Its quantum, counts; `null`, with the reason in `missing`, where it is not known.
    pub quantum_counts: Option<f64>,
    /// One entry a number of threads, in the order in which they ran.
    pub crowds: Vec<Crowd>,
    /// What could not be obtained and why; keys are field names.
    pub missing: BTreeMap<String, String>,
}

/// So many threads, reading at once.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Crowd {
    /// How many were to read.
    pub threads: u32,
    /// How many did.
    pub ran: u32,
    /// The pairs of all of them together.
    #[serde(flatten)]
    pub pairs: PairFigures,
    /// The commonest lengths, most frequent first.
    pub commonest: Vec<CommonLength>,
    /// Share of the short pairs that lasted a whole number of quanta; `null` where the quantum is not known or less than
    /// four counts.
    pub on_quantum_share: Option<f64>,
    /// The longest pairs, longest first.
    pub longest: Vec<LongestPair>,
    /// One entry a thread.
    pub rows: Vec<ThreadRow>,
}

/// One of the threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadRow {
    /// Which, from 0.
    pub thread: u32,
    /// The CPU that it was pinned to; `null` where it might run on any.
    pub cpu: Option<u32>,
    /// Its pairs.
    #[serde(flatten)]
    pub pairs: PairFigures,
    /// Why it has none, if so.
    pub missing: Option<String>,
}

/// Pairs of reads, a start and a stop with nothing between them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PairFigures {
    /// Pairs seen.
    pub observations: u64,
    /// The shortest, ns; `null`, as all of these, where there is none.
    pub min_ns: Option<f64>,
    /// Their median. It and the percentiles are exact below 4096 counts, and within 0.4 % beyond.
    pub median_ns: Option<f64>,
    /// Their mean, exact.
    pub mean_ns: Option<f64>,
    /// Their standard deviation, exact.
    pub sd_ns: Option<f64>,
    /// Their 99th percentile; `null` of fewer than 100, which do not tell it from the longest.
    pub p99_ns: Option<f64>,
    /// Their 99.9th percentile; `null` of fewer than 1000.
    pub p999_ns: Option<f64>,
    /// The longest.
    pub max_ns: Option<f64>,
    /// The median in the clock's counts.
    pub median_counts: Option<f64>,
    /// From the first read to the last one, ns; of several threads the sum.
    pub observed_ns: f64,
    /// What of it lies within pairs, ns: the sum of the differences.
    pub sum_ns: f64,
    /// What of it passed in long gaps between pairs, which no difference shows, ns.
    pub between_ns: f64,
    /// What of it the search for causes took, ns.
    pub looking_ns: f64,
    /// Pairs of which a read failed.
    pub failed_reads: u64,
    /// Readings less than the one before on the same thread.
    pub went_back: u64,
    /// How far the largest of them went back, ns; `null` where none did.
    pub went_back_largest_ns: Option<f64>,
    /// Times that a thread was found on another CPU.
    pub migrations: u64,
    /// Pairs taken again, as the CPU changed between their reads of a CPU's own counter: two CPUs, no interval. They are in
    /// no other figure.
    pub retries: u64,
    /// The long pairs, and where their time went.
    pub tail: Tail,
}

/// Pairs longer than a threshold, and where their time went.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Tail {
    /// The threshold, ns: three times the median of the first pairs and two quanta, a microsecond at least; of several
    /// threads the least. `null` where nobody read.
    pub over_ns: Option<f64>,
    /// How many pairs were longer.
    pub pairs: u64,
    /// What they lasted in all, ns.
    pub ns: f64,
    /// Shares of that time by cause; `unknown` is what no counter of the kernel explains: the clock's own, or hidden from
    /// the system.
    pub shares: BTreeMap<Cause, f64>,
    /// The part of `unknown` of which the CPU's interrupts were not read: too many pairs were long for their files to be
    /// read after each.
    pub not_looked_share: f64,
}

/// A length that many pairs had.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CommonLength {
    /// In the clock's counts.
    pub counts: u64,
    /// The same, ns.
    pub ns: f64,
    /// Share of all pairs.
    pub share: f64,
}

/// One of the longest pairs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LongestPair {
    /// How long, ns.
    pub ns: f64,
    /// Whose.
    pub thread: u32,
    /// Where most of it went.
    pub cause: Cause,
}
