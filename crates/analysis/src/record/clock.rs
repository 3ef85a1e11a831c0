//! What was found out about one clock.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Shortest;
use crate::trace::{Kind, Path, Promises};

/// One clock, measured and analyzed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Clock {
    /// Stable id, e.g. `monotonic` or `monotonic@syscall`.
    pub id: String,
    /// The exact call, e.g. `clock_gettime(CLOCK_MONOTONIC)`.
    pub api: String,
    /// The clock that this is a way of reading: `tsc` of `tscp`, `monotonic` of `monotonic@syscall`; empty in records of
    /// versions that did not state it.
    #[serde(default)]
    pub base: String,
    /// Whether the way of reading is forced, past what a program gets by the ordinary call.
    #[serde(default)]
    pub forced: bool,
    /// Whether a read stays in order with the instructions around it.
    #[serde(default = "yes")]
    pub ordered: bool,
    /// Whether it is there for reading time; false of an alarm's clock.
    #[serde(default = "yes")]
    pub for_timing: bool,
    /// What kind of time it tells.
    pub kind: Kind,
    /// The path that a read really takes.
    pub path: Path,
    /// How `path` was found out, e.g. `no system call seen (syscall user dispatch)`.
    pub path_evidence: String,
    /// What the clock promises by its definition.
    pub promises: Promises,
    /// The shared object that the called symbol lives in, where that is not the C library: the clock is
    /// interposed (`LD_PRELOAD`).
    pub interposed_by: Option<String>,
    /// Cost of one read; `null` with a reason in `missing` where it could not be measured.
    pub cost_ns: Option<Cost>,
    /// How finely the clock moves.
    pub tick_ns: Tick,
    /// Reads that were watched for faults: every read made of this clock, in every phase.
    pub reads: u64,
    /// Reads that an interruption made impossible to judge: neither good nor bad.
    pub undecided: u64,
    /// Reads that returned an error although the first one had worked.
    pub failed_reads: u64,
    /// Whether each read was greater than the one before, here and from one CPU to another (`skew`).
    pub monotonic: Monotonic,
    /// Runs of equal adjacent reads.
    pub stalls: Stalls,
    /// Reads that returned less than an earlier one.
    pub regressions: Faults,
    /// Advances that were more, or less, than time can have passed by the witness's bounds.
    pub warps: Faults,
    /// The faults and interruptions one by one, in the order of time: of each kind the first 128, the latest 128 and the
    /// 256 largest in between.
    pub events: Vec<Event>,
    /// Events that are counted above but not listed.
    pub events_omitted: u64,
    /// Times that the reader stood still while this clock was watched.
    pub interruptions: Interruptions,
    /// The shortest intervals that can be timed singly, once the overhead is subtracted; `null` with a reason in `missing`.
    pub span_ns: Option<Shortest>,
    /// How fast it ran by the run's reference; `null` with a reason in `missing` where that says nothing.
    #[serde(default)]
    pub rate: Option<Rate>,
    /// The clock that bracketed the reads.
    pub witness: String,
    /// What could not be obtained and why; keys are field names, e.g. `cost_ns` or `tick_ns.quantum`.
    pub missing: BTreeMap<String, String>,
}

impl Clock {
    /// What a read costs, where the run tells it well enough for a figure ([`Cost::certain`]).
    pub fn certain_cost(&self) -> Option<Cost> {
        self.cost_ns.filter(|cost| cost.certain().is_some())
    }

    /// The id of the clock that this is a way of reading; its own where the record does not state it.
    pub fn base_id(&self) -> &str {
        if self.base.is_empty() { &self.id } else { &self.base }
    }
}

/// Cost of one read, ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// Median over the batches of (T(2n) − T(n)) / n: the time a read takes in a run of reads.
    pub median: f64,
    /// Lower end of the median's distribution-free 95 % interval.
    pub low: f64,
    /// Upper end of it.
    pub high: f64,
    /// Cheapest batch.
    pub min: f64,
    /// 99th percentile over single reads: the median, and by how much longer than the typical one a read between two
    /// stamps of the witness was; `null` where single reads could not be bracketed.
    pub p99: Option<f64>,
    /// Lower end of its interval, which holds 95 times in 100 or more often.
    #[serde(default)]
    pub p99_low: Option<f64>,
    /// Upper end of it; `null` where there were too few reads for one.
    #[serde(default)]
    pub p99_high: Option<f64>,
    /// 99.9th percentile of the same.
    pub p999: Option<f64>,
    /// Lower end of its interval.
    #[serde(default)]
    pub p999_low: Option<f64>,
    /// Upper end of it; `null` where there were too few reads for one.
    #[serde(default)]
    pub p999_high: Option<f64>,
    /// Largest of the same, of the reads made: a longer one may come at any time.
    pub max: Option<f64>,
    /// How many batches the median is taken over.
    pub batches: u64,
    /// The medians of several runs, where several were made (`--runs`).
    #[serde(default)]
    pub runs: Option<Spread>,
}

impl Cost {
    /// The ends of the median's interval, ns, as far apart as several runs lie where several were made.
    #[must_use]
    pub fn between_runs(&self) -> (f64, f64) {
        self.runs.map_or((self.low, self.high), |runs| (self.low.min(runs.low), self.high.max(runs.high)))
    }
}

/// What several runs gave.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
    /// Runs that gave a figure.
    pub runs: u64,
    /// The lowest of their figures.
    pub low: f64,
    /// The highest.
    pub high: f64,
}

/// A cost is told where its interval is no wider than this share of it on either side.
const CERTAIN: f64 = 0.5;

impl Cost {
    /// Half width of the median's interval, its longer side, ns.
    pub fn half_width(&self) -> f64 {
        (self.high - self.median).max(self.median - self.low)
    }

    /// That half width, where it leaves the median any meaning.
    pub fn certain(&self) -> Option<f64> {
        Some(self.half_width()).filter(|half| self.median > 0.0 && *half <= CERTAIN * self.median)
    }
}

/// How finely a clock moves, ns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tick {
    /// 1 / stated frequency, or the clock's unit of output where that is all that is stated.
    pub nominal: Option<f64>,
    /// Where `nominal` comes from.
    pub nominal_source: Option<String>,
    /// What the API claims (`clock_getres`).
    pub reported: Option<f64>,
    /// Smallest non-zero difference of two adjacent reads.
    pub smallest_step: Option<f64>,
    /// The same in the clock's own counts.
    pub smallest_step_counts: Option<u64>,
    /// The true granularity: the largest q such that the clock's values lie on a lattice of spacing q.
    /// `null` where none could be resolved; `quantum_high` then says what it is at most.
    pub quantum: Option<f64>,
    /// Lower end of the quantum's 95 % interval.
    pub quantum_low: Option<f64>,
    /// Upper end of the quantum's 95 % interval; without a quantum: 'not coarser than this'.
    pub quantum_high: Option<f64>,
    /// How the quantum was found.
    pub method: QuantumMethod,
    /// Readings that the quantum rests on.
    pub readings: u64,
}

/// How a quantum was found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum QuantumMethod {
    /// The clock updates more slowly than it is read: the distribution of its steps.
    Steps,
    /// A lattice fitted to readings that are farther apart than the quantum.
    Lattice,
    /// No lattice stands out; only an upper limit is known.
    Limit,
    /// Nothing could be said; `missing` has the reason.
    #[default]
    None,
}

/// Whether each read was greater than the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Monotonic {
    /// Every read was greater than the one before.
    Strict,
    /// No read was less, some were equal.
    Weak,
    /// Some read was less than an earlier one.
    Violated,
}

/// Runs of equal adjacent reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stalls {
    /// How many runs of two or more equal reads there were. Natural wherever the quantum exceeds the cost.
    pub count: u64,
    /// How many of them lasted longer than the quantum explains.
    pub unexplained: u64,
    /// Reads in the longest one.
    pub longest_reads: u64,
    /// The longest time that the clock stood still, at least, by the witness.
    pub longest_ns: f64,
    /// Runs of 200 or more equal reads (clockperf's 'Fail').
    pub of_200_reads: u64,
}

/// How fast a clock ran by another, over the whole run. Steps of either clock do not count into it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rate {
    /// Rate − 1, parts per million; positive: faster than `against`.
    pub ppm: f64,
    /// Lower end of the 95 % interval.
    pub low_ppm: f64,
    /// Upper end of the 95 % interval.
    pub high_ppm: f64,
    /// Id of the clock that it was measured against: the run's reference.
    pub against: String,
}

/// A count of faults with the largest one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Faults {
    /// How many there were; exact, over every adjacent pair of reads.
    pub count: u64,
    /// Size of the largest.
    pub largest_ns: f64,
    /// How many were larger than 1 ms (clockperf's 'Warp').
    pub over_1ms: u64,
}

/// One fault or interruption.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// Its size, always positive: how far back, how far off, how long.
    pub size_ns: f64,
    /// Half width of the witness's bounds on `size_ns`; `null` where the size is exact.
    pub size_uncertainty_ns: Option<f64>,
    /// When, since the start of the run.
    pub at_ns: f64,
    /// The CPU that the reader ran on.
    pub cpu: Option<u32>,
    /// What is known of the cause, or `unknown`; of a fault: `clock set`, `leap second` or `suspend` where the run
    /// saw that happen at that time.
    pub cause: String,
}

/// Kinds of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// A read returned less than an earlier one.
    Regression,
    /// The clock advanced more, or less, than time can have passed.
    Warp,
    /// The clock stood still longer than its quantum explains.
    Stall,
    /// The reader stood still; the clock did not fail.
    Interruption,
}

/// Times that the reader stood still.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interruptions {
    /// How many.
    pub count: u64,
    /// The longest one.
    pub longest_ns: f64,
    /// How many by cause: `preempted`, `migrated`, `interrupt`, `page-fault`, `stolen`, `blocked`, `suspend`, `unknown`.
    pub by_cause: BTreeMap<String, u64>,
}

/// What clocks of records without the field are taken for.
fn yes() -> bool {
    true
}
