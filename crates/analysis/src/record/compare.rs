//! What changed between records.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Interval, Severity, Tool};

/// The comparison's schema and version; a change that breaks a reader raises the number.
pub const COMPARE_SCHEMA: &str = "clockscope-compare/1";

/// Records beside the first of them, or beside the first group of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CompareReport {
    /// Always `clockscope-compare/1`.
    pub schema: String,
    /// The program that compared.
    pub tool: Tool,
    /// The least effect that counts, as a share: 0.02 is 2 %.
    pub least: f64,
    /// The least difference of rates that counts, parts per million.
    pub least_ppm: f64,
    /// How often, at most, a table has any 'changed' though nothing changed beyond the least effect (Holm).
    pub error_share: f64,
    /// One entry a record, or a group of records, that was held against the first.
    pub comparisons: Vec<Comparison>,
}

/// One side held against another.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// The side that came first.
    pub before: Side,
    /// The other.
    pub after: Side,
    /// How uncertainty was found.
    pub by: ComparedBy,
    /// Whether the sides are of machines of different kinds, that is of another architecture or CPU model: then nothing is
    /// worse or better.
    pub different_machines: bool,
    /// What differs in machines and runs.
    pub machine: Vec<Difference>,
    /// Findings that only the second side has; of several records, that more than half of them have.
    pub came: Vec<Passing>,
    /// Findings that only the first side has, likewise.
    pub went: Vec<Passing>,
    /// The figures, by clock.
    pub rows: Vec<Compared>,
    /// Clocks of which neither side saw any fault; they have no rows of faults.
    pub faultless: Vec<String>,
    /// Clocks that only the first side has.
    pub only_before: Vec<String>,
    /// Clocks that only the second side has.
    pub only_after: Vec<String>,
    /// What a reader needs to weigh the table.
    pub notes: Vec<String>,
}

/// One side of a comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    /// The files that the records were read from.
    pub files: Vec<String>,
    /// When the runs began, where the records say so.
    pub started: Vec<String>,
}

/// How the uncertainty of a difference was found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ComparedBy {
    /// One record a side: by each run's own intervals, which do not show how runs differ.
    #[default]
    OwnIntervals,
    /// Several records a side: by how runs differ.
    Runs,
}

/// Something other than a figure that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// What, e.g. `kernel`.
    pub what: String,
    /// The clock, where it is a clock's.
    pub clock: Option<String>,
    /// What it was; of several records each once. `null` where the record does not say.
    pub before: Option<String>,
    /// What it is.
    pub after: Option<String>,
}

/// A finding that came or went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Passing {
    /// Its code.
    pub code: String,
    /// How bad it is.
    pub severity: Severity,
    /// What is the case.
    pub title: String,
    /// Whether it tells of the run alone.
    pub of_run: bool,
    /// Whether it holds on every machine of the kind.
    pub usual: bool,
}

/// A figure of a clock on both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Compared {
    /// The clock.
    pub clock: String,
    /// Which figure.
    pub figure: Figure,
    /// It before.
    pub before: Told,
    /// It after.
    pub after: Told,
    /// After / before with its 95 % interval, which is of this row alone; `null` of rates, and where a side has none.
    pub ratio: Option<Ratio>,
    /// Of rates: after − before with its 95 % interval, ppm.
    pub difference_ppm: Option<Interval>,
    /// How often a difference as large as this comes where the truth differs by the least effect at most; `null` where no
    /// test was made: a side is exact, a limit, or absent.
    pub p: Option<f64>,
    /// The same by Holm over the table's rows; up to 0.05 the row is `changed`.
    pub p_holm: Option<f64>,
    /// What is to be made of it.
    pub result: Outcome,
    /// Whether a change is for the worse; `null` where nothing changed, where neither is worse, and of different machines.
    pub worse: Option<bool>,
    /// Why there is no more to say, where that is so.
    pub missing: Option<String>,
}

/// Figures that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    /// Median cost of a read, ns.
    Cost,
    /// 99th percentile of single reads, ns.
    P99,
    /// What the clock resolves, ns.
    Quantum,
    /// Rate − 1 by the run's reference, ppm.
    Rate,
    /// Standstills that the quantum does not explain.
    Stalls,
    /// Reads less than an earlier one.
    Backward,
    /// Advances of more or less than time allows.
    Jumps,
    /// Reads that returned an error.
    Failed,
}

/// A figure of one side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Told {
    /// It; of several records their median, of faults their sum; `null` where there is none, or a limit only.
    pub value: Option<f64>,
    /// Lower end of its 95 % interval; of several records the least of their values.
    pub low: Option<f64>,
    /// Upper end, or the greatest.
    pub high: Option<f64>,
    /// Of faults: the reads among which they were.
    pub reads: Option<u64>,
    /// Records that have it.
    pub runs: u64,
}

/// A ratio with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ratio {
    /// Best estimate; `null` where a side is a limit, or the ratio has no bound.
    pub value: Option<f64>,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end; `null`: no bound.
    pub high: Option<f64>,
}

/// What is to be made of a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It differs by more than the least effect, and not by chance.
    Changed,
    /// It differs by no more than the least effect: the interval lies within.
    Same,
    /// Neither can be said.
    #[default]
    Undecided,
}

impl CompareReport {
    /// All rows.
    pub fn rows(&self) -> impl Iterator<Item = &Compared> {
        self.comparisons.iter().flat_map(|comparison| &comparison.rows)
    }
}
