//! What a clock's figures were made of: for plots, and for statistics of one's own.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SpanPoint;

/// One clock's series. Lists that belong together are equally long; an item of each is a row. The matrix of CPUs stands in the
/// record's `skew`, the events in the clock's own entry.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClockSeries {
    /// The clock's id.
    pub clock: String,
    /// What single reads cost.
    pub cost: CostBuckets,
    /// By how much adjacent reads differ.
    pub differences: DifferenceCounts,
    /// How far it went from the reference.
    pub offset: OffsetCourse,
    /// How fast it ran, part of the run by part.
    pub rate: RateCourse,
    /// The error of intervals by their length, as far as a survey times any.
    pub span: Vec<SpanPoint>,
    /// What could not be obtained and why; keys are field names.
    pub missing: BTreeMap<String, String>,
}

/// Single reads by what they cost, the cheapest first, in buckets of one percent of the time between the stamps around a read.
///
/// The median cost and the distance of a read's bracket from the typical one, as in `cost_ns.p99`: brackets that were
/// narrower than the typical one stand below the median.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CostBuckets {
    /// The least cost of each bucket, ns.
    pub low_ns: Vec<f64>,
    /// The greatest, ns.
    pub high_ns: Vec<f64>,
    /// Reads in it.
    pub reads: Vec<u64>,
}

/// Differences of adjacent reads in a row, of those made to find the cost: up to 64 of a row and 65,536 in all.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DifferenceCounts {
    /// Nanoseconds a count of the clock.
    pub count_ns: f64,
    /// Each difference that was seen, in the clock's counts, the least first.
    pub counts: Vec<i64>,
    /// How often.
    pub times: Vec<u64>,
    /// How many more there were, of further differences than are listed.
    pub others: u64,
}

/// The clock's reading less the reference's, less what that was at the first one, within hard bounds: the reference stands
/// on either side of each read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OffsetCourse {
    /// When, by the reference, since the first of them, ns.
    pub at_ns: Vec<f64>,
    /// No less than this, ns.
    pub low_ns: Vec<f64>,
    /// No more than this, ns.
    pub high_ns: Vec<f64>,
}

/// The rate by the reference, less 1, in parts of the run that are equally rich in reads, ppm.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RateCourse {
    /// The middle of each part, by the reference, since the first reading, ns.
    pub at_ns: Vec<f64>,
    /// The rate.
    pub ppm: Vec<f64>,
    /// Lower end of its 95 % interval.
    pub low_ppm: Vec<f64>,
    /// Upper end of it.
    pub high_ppm: Vec<f64>,
}
