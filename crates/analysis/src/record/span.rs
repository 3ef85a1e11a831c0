//! The shortest interval that a clock can time.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Finding, Interval, Tool};

/// The report's schema and version; a change that breaks a reader raises the number.
pub const SPAN_SCHEMA: &str = "clockscope-span/1";

/// What `clockscope span` found out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpanReport {
    /// Always `clockscope-span/1`.
    pub schema: String,
    /// The program that wrote this.
    pub tool: Tool,
    /// The clock whose nanoseconds all nanoseconds here are.
    pub reference: String,
    /// The clock by which the true lengths are known.
    pub witness: String,
    /// The CPU that the reader was pinned to; `null` where it could not be pinned.
    pub cpu: Option<u32>,
    /// One entry a clock.
    pub clocks: Vec<ClockSpans>,
    /// The traps that show in it.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// Whether the run was stopped before its end.
    pub interrupted: bool,
    /// What a person should know of the run.
    pub notes: Vec<String>,
}

/// One clock's.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClockSpans {
    /// The clock's id.
    pub clock: String,
    /// Nanoseconds a count of this clock.
    pub count_ns: f64,
    /// The clock's quantum, ns; `null` where it was not found.
    pub quantum_ns: Option<f64>,
    /// By how much an interval comes out too long at the middle: what start and stop themselves take between the two
    /// moments that they read, ns. It can be subtracted.
    pub overhead_ns: Option<Interval>,
    /// The shortest intervals.
    pub spans: Vec<Span>,
    /// Error by length, the shortest first.
    pub curve: Vec<SpanPoint>,
    /// Start-stop pairs with nothing in between.
    pub empty: Vec<EmptyPairs>,
    /// Lots of chains that all this rests on.
    pub lots: u64,
    /// Reads that returned an error.
    pub failed_reads: u64,
    /// What could not be obtained and why; keys are field names. `spans`: why some share, or all, has none.
    pub missing: BTreeMap<String, String>,
}

impl ClockSpans {
    /// The shortest interval for that share and mean, if there is one.
    pub fn span(&self, within: f64, mean_of: u32, subtracted: bool) -> Option<&Span> {
        self.spans.iter().find(|span| span.is_for(within, mean_of, subtracted))
    }
}

/// The shortest interval whose error stays within a share of it in 95 of 100 times, and of every longer one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Span {
    /// The share.
    pub within: f64,
    /// Of so many timings the mean is taken; 1: each by itself.
    pub mean_of: u32,
    /// Whether `overhead_ns` is subtracted.
    pub subtracted: bool,
    /// Its length, ns.
    pub ns: f64,
    /// Lower end of its 95 % interval; 0 where chains as short as any were within the share.
    pub low: f64,
    /// Upper end of it.
    pub high: f64,
    /// How it is known.
    pub by: SpanBy,
}

impl Span {
    /// Whether it is the one for that share and mean.
    pub fn is_for(&self, within: f64, mean_of: u32, subtracted: bool) -> bool {
        (self.within - within).abs() < 1e-9 && self.mean_of == mean_of && self.subtracted == subtracted
    }
}

/// How a span is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpanBy {
    /// Shorter and longer chains were timed.
    Measured,
    /// All chains' errors were within the share: it is no longer than the shortest one.
    AtMost,
    /// All chains were shorter, and their error the same whatever their length: that error over the share.
    Extrapolated,
    /// The clock moved too seldom: what its quantum alone makes of it, 0.776 of it over the share.
    Quantum,
}

/// How timings of one length came out.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpanPoint {
    /// The true length, the mean of them, ns.
    pub length_ns: f64,
    /// How well it is known: half the width of its 95 % interval, ns.
    pub length_off_ns: f64,
    /// Timings.
    pub timings: u64,
    /// The clock's mean error, ns.
    pub bias_ns: f64,
    /// 95 of 100 of the clock's errors are no larger than this, either way, ns.
    pub p95_ns: f64,
    /// The same once `overhead_ns` is subtracted.
    pub p95_subtracted_ns: f64,
    /// The 2.5th percentile of what the timings differ from the mean length by, ns. The CPU's own unsteadiness is in it, and
    /// interruptions are: what the same work takes now and then.
    pub low_ns: f64,
    /// The 97.5th percentile of the same.
    pub high_ns: f64,
    /// The standard deviation of the same, ns.
    pub sd_ns: f64,
}

/// Start-stop pairs with nothing in between: what an interval of no length comes out as.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EmptyPairs {
    /// Whether the reader was kept on one CPU.
    pub pinned: bool,
    /// Pairs.
    pub pairs: u64,
    /// Share of them in which the clock did not move.
    pub zero_share: f64,
    /// Mean, in the clock's counts.
    pub mean_counts: f64,
    /// Standard deviation, in the clock's counts.
    pub sd_counts: f64,
    /// Mean, ns.
    pub mean_ns: f64,
    /// Standard deviation, ns.
    pub sd_ns: f64,
    /// Median, ns.
    pub median_ns: f64,
    /// 99th percentile, ns.
    pub p99_ns: f64,
    /// 99.9th percentile, ns.
    pub p999_ns: f64,
    /// The longest, ns: what one unlucky measurement costs.
    pub longest_ns: f64,
    /// Its cause, as far as that could be seen.
    pub longest_cause: Option<String>,
}

/// The shortest intervals, ns, whose error stays within a share of them in 95 of 100 times, with their 95 % intervals; `null`
/// where the error grows with the length beyond what was timed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Shortest {
    /// Within 10 %.
    pub within_10_percent: Option<Interval>,
    /// Within 1 %.
    pub within_1_percent: Option<Interval>,
    /// Within 0.1 %.
    pub within_0_1_percent: Option<Interval>,
}
