//! What samples tell that another program wrote: readings of clocks, and nothing around them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Cost, Faults, Finding, Interval, Monotonic, Tick, Unavailable};

/// The schema's name and version.
pub const SAMPLES_SCHEMA: &str = "clockscope-samples/1";

/// Samples of one file, or of one probe.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Samples {
    /// Always `clockscope-samples/1`.
    pub schema: String,
    /// The language runtime that read the clocks; `null` where the file names none.
    pub runtime: Option<Runtime>,
    /// The label of the clock that timed the pairs of batches; `null` where the file names none.
    pub timer: Option<String>,
    /// Of a probe: whether it came to its end; `null` of plain samples, which don't tell.
    pub complete: Option<bool>,
    /// One entry a label, in the order in which they came.
    pub clocks: Vec<SampledClock>,
    /// Clocks that the probe knows and that are not there.
    pub absent: Vec<Unavailable>,
    /// The traps that show in it.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// A language runtime.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Runtime {
    /// Its name, as `CPython`.
    pub name: String,
    /// Its version, as it states it.
    pub version: String,
}

/// What the samples of one label come to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SampledClock {
    /// The label.
    pub label: String,
    /// What one unit of the values is, ns; `tick_ns.nominal_source` has who says so.
    pub unit_ns: f64,
    /// What the API says of itself.
    pub claims: BTreeMap<String, String>,
    /// Samples.
    pub samples: u64,
    /// How finely the clock moves; the nominal tick is the unit.
    pub tick_ns: Tick,
    /// Order of the readings; `null` of fewer than two.
    pub monotonic: Option<Monotonic>,
    /// Runs of equal readings; `null` of fewer than two.
    pub stalls: Option<SampledStalls>,
    /// Readings that are less than the one before; `null` of fewer than two.
    pub backward: Option<Faults>,
    /// The steps back one by one, in the order of the file: the first 128, the latest 128 and the 256 largest in between.
    pub steps_back: Vec<StepBack>,
    /// The longest advance from one reading to the next, ns; `null` where there was none. Whether the clock jumped or the reader
    /// stood still is not known.
    pub longest_gap_ns: Option<f64>,
    /// Cost of one read, of a probe that timed pairs of batches.
    pub cost_ns: Option<Cost>,
    /// The values as they stand in the file, in its own unit.
    pub values: Option<Described>,
    /// The least and the greatest of them, digit by digit; `null` where there is no sample.
    #[serde(default)]
    pub values_exact: Option<Ends>,
    /// The differences of adjacent readings, ns.
    pub differences_ns: Option<Described>,
    /// What could not be obtained and why; keys are field names.
    pub missing: BTreeMap<String, String>,
}

/// Runs of two or more equal readings. How long each lasted is not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SampledStalls {
    /// How many.
    pub count: u64,
    /// Readings in the longest one.
    pub longest_reads: u64,
    /// Runs of 200 or more.
    pub of_200_reads: u64,
}

/// A step back.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepBack {
    /// The line of the reading, from 1; of binary input the byte that it begins at, from 0.
    pub at: u64,
    /// How far back, ns.
    pub size_ns: f64,
}

/// The ends of the values, as decimal numbers: a number of 64 bits has more digits than a floating-point one holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ends {
    /// The least.
    pub min: String,
    /// The greatest.
    pub max: String,
}

/// What pandas' `describe` says of as many numbers. All but the quartiles of very many are exact, to the rounding of 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Described {
    /// How many.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation, by n − 1; `null` of one.
    pub std: Option<f64>,
    /// The least.
    pub min: f64,
    /// The quartile below which a quarter lies, interpolated between two neighbours; the bounds are hard ones, and equal where
    /// it is exact.
    pub q25: Interval,
    /// The median, as well.
    pub q50: Interval,
    /// The quartile above which a quarter lies, as well.
    pub q75: Interval,
    /// The greatest.
    pub max: f64,
}
