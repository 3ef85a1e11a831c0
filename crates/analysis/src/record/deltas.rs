//! The histogram of a clock's adjacent differences.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Tick;

/// Adjacent differences of one clock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Deltas {
    /// Always `clockscope-deltas/1`.
    pub schema: String,
    /// The clock's id.
    pub clock: String,
    /// Nanoseconds a count of this clock: its unit, or the measured tick.
    pub count_ns: f64,
    /// Differences seen, the zero ones included.
    pub differences: u64,
    /// One row a distinct difference, smallest first; at most 65 536, then `others`.
    pub rows: Vec<DeltaRow>,
    /// Differences that found no row of their own any more.
    pub others: u64,
    /// Reads that returned an error.
    pub failed_reads: u64,
    /// Smallest of the positive differences, ns; `null`, as the next three, if there were none.
    pub min_ns: Option<f64>,
    /// Mean of them.
    pub mean_ns: Option<f64>,
    /// Median of them.
    pub median_ns: Option<f64>,
    /// Longest gap, ns.
    pub longest_ns: Option<f64>,
    /// How finely the clock moves: its quantum, from reads with random pauses made beside the others.
    #[serde(default)]
    pub tick_ns: Option<Tick>,
    /// What could not be obtained and why; keys are field names.
    #[serde(default)]
    pub missing: BTreeMap<String, String>,
}

/// One distinct difference.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeltaRow {
    /// In the clock's counts (ticks of a counter, ns, µs or s of an API); negative: the clock went back.
    pub counts: i64,
    /// The same, ns.
    pub time_ns: f64,
    /// How often.
    pub count: u64,
}
