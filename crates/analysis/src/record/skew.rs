//! How a clock's readings on several CPUs lie to each other.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Interval;
use crate::trace::Distance;

/// One clock on several CPUs.
///
/// An offset is the second CPU's reading less the first one's at the same moment: positive where the second is ahead.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Skew {
    /// The id of the clock that was read, each read made after all that stands before it.
    pub clock: String,
    /// Nanoseconds a count of this clock.
    pub count_ns: f64,
    /// The clock's quantum; every interval is wider by it at both ends than messages alone would have it, for a reading
    /// may be late by as much. `null` where it is not known; nothing is added then.
    pub quantum_ns: Option<f64>,
    /// The CPUs that took part.
    pub cpus: Vec<u32>,
    /// Whether all of them agree: each interval holds 0 and no reading went back. `null` where nothing was measured.
    pub agree: Option<bool>,
    /// Readings that were less than the one before them, over all pairs.
    pub backward: Backward,
    /// The pair that is farthest apart: the largest step back, else the interval that reaches farthest from 0.
    pub worst: Option<[u32; 2]>,
    /// One entry a pair.
    pub pairs: Vec<SkewPair>,
    /// The same by how far apart the CPUs lie; empty where the system does not tell.
    pub by_distance: Vec<SkewGroup>,
    /// Offsets that fit all pairs at once, against the first CPU; empty, with the reason in `missing`, where there are
    /// none.
    pub offsets: Vec<CpuOffset>,
    /// What could not be obtained and why; keys are field names, or `cpu 3` for a CPU that could not take part.
    pub missing: BTreeMap<String, String>,
}

/// One clock on two CPUs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SkewPair {
    /// The first CPU.
    pub cpu_a: u32,
    /// The second one.
    pub cpu_b: u32,
    /// How far apart they lie; `null` where the system does not tell.
    pub distance: Option<Distance>,
    /// The offset is no less than this, ns: for cause and effect, not by chance. `null` where no message came through.
    pub low_ns: Option<f64>,
    /// The offset is no more than this, ns.
    pub high_ns: Option<f64>,
    /// `low_ns` in the clock's own counts.
    pub low_counts: Option<i64>,
    /// `high_ns` in the clock's own counts.
    pub high_counts: Option<i64>,
    /// The lower end once what all other pairs say is taken into account, ns; `null` as `offsets` are.
    pub joint_low_ns: Option<f64>,
    /// The upper end of the same, ns.
    pub joint_high_ns: Option<f64>,
    /// Whether one offset explains all messages. If not, it changed during the run, and `low_ns` and `high_ns` are the
    /// ends of the range that it moved in. `null` where nothing was measured.
    pub constant: Option<bool>,
    /// The shortest way there and back, ns, by the first CPU's readings.
    pub round_trip_ns: Option<f64>,
    /// How fast the offset moves; `null` with the reason in `drift_missing`.
    #[serde(default)]
    pub drift: Option<Drift>,
    /// Why there is no drift, if there is none.
    #[serde(default)]
    pub drift_missing: Option<String>,
    /// The NUMA nodes on which the cache lines between them lay; empty where the system does not tell.
    #[serde(default)]
    pub nodes: Vec<u32>,
    /// Readings that were passed from one CPU to the other.
    pub messages: u64,
    /// Readings that were less than the one before them.
    pub backward: Backward,
    /// Why there is no interval, if there is none.
    pub missing: Option<String>,
}

/// The rate of the second CPU's clock by the first one's, less 1, in parts per billion: 1 ppb is 1 ns a second.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Drift {
    /// By the middles of the narrower intervals, if the shortest ways there and back stay as they are; `null` with the
    /// reason in `missing`.
    pub ppb: Option<Interval>,
    /// No less than this, for certain: by the order of messages alone. Where not `steady`, of the mean over the run.
    pub low_ppb: f64,
    /// No more than this, for certain.
    pub high_ppb: f64,
    /// Whether one offset and one rate explain all messages.
    pub steady: bool,
    /// How often the two met.
    pub visits: u64,
    /// The time between the first meetings and the last, ns.
    pub over_ns: f64,
    /// Why there is no `ppb`, if there is none.
    pub missing: Option<String>,
}

/// Readings, made one after the other on either CPU, that were less than the one before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Backward {
    /// How many there were; exact.
    pub count: u64,
    /// Of so many readings that were compared with the one before.
    pub of: u64,
    /// How far the largest went back, ns; `null` where none did.
    pub largest_ns: Option<f64>,
}

/// All pairs that lie equally far apart.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SkewGroup {
    /// How far.
    pub distance: Distance,
    /// Pairs with an interval.
    pub pairs: u64,
    /// The lowest lower end of their intervals, ns.
    pub lowest_ns: f64,
    /// The highest upper end, ns.
    pub highest_ns: f64,
    /// Median over the pairs of the shortest way there and back, ns.
    pub round_trip_ns: Option<f64>,
    /// Readings that were less than the one before them.
    pub backward: Backward,
}

/// One CPU's offset against the first one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CpuOffset {
    /// The CPU.
    pub cpu: u32,
    /// The middle of its interval, ns. All middles together fit all pairs.
    pub offset_ns: f64,
    /// Lower end of the interval, ns.
    pub low_ns: f64,
    /// Upper end of the interval, ns.
    pub high_ns: f64,
}

/// What `clockscope skew` found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SkewReport {
    /// Always `clockscope-skew/1`.
    pub schema: String,
    /// The clock whose nanoseconds all nanoseconds here are.
    pub reference: String,
    /// One entry a clock.
    pub clocks: Vec<Skew>,
    /// Whether the run was stopped before its end (a signal).
    pub interrupted: bool,
    /// Why the reader could not be pinned or its memory not locked, if so.
    pub notes: Vec<String>,
}
