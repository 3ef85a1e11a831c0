//! Which clocks well-known programs take on a machine, and whether its evidence speaks for them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Interval, Path};

/// A program whose rules for taking a clock are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Program {
    /// PostgreSQL, up to 19.
    Postgres,
    /// Go's runtime.
    Go,
    /// OpenJDK.
    Java,
    /// CPython.
    Python,
    /// .NET, since Core.
    Dotnet,
    /// Rust's standard library.
    RustStd,
    /// Chromium, and what its pages see.
    Chromium,
}

impl Program {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Postgres, Self::Go, Self::Java, Self::Python, Self::Dotnet, Self::RustStd, Self::Chromium];
}

/// What one program takes on the machine of a survey.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProgramAdvice {
    /// Which program.
    pub program: Program,
    /// Its name for people.
    pub title: String,
    /// The answer in one sentence: which clock, what it costs and resolves, whether the evidence agrees.
    pub answer: String,
    /// Whether the evidence agrees with every clock that it takes; `null` where of some of them nothing is known and against
    /// none anything.
    pub agrees: Option<bool>,
    /// What to set, the program's own settings first; empty: nothing.
    pub set: Vec<Setting>,
    /// The clocks that it takes: the one for intervals first.
    pub clocks: Vec<ProgramClock>,
    /// What else its users should know, on any machine.
    pub notes: Vec<String>,
}

/// Something to set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Setting {
    /// In short, e.g. `timing_clock_source = system`.
    pub what: String,
    /// Where and why, or how.
    pub how: String,
    /// Code of the finding whose fix this is; `null`: a setting of the program's own.
    pub finding: Option<String>,
}

/// A clock that a program takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProgramClock {
    /// What the program calls it, e.g. `time.Since`.
    pub api: String,
    /// Of which versions of the program that holds; empty: of all that are named in `source`.
    pub versions: String,
    /// What it is for.
    pub purpose: Purpose,
    /// Id of the clock; `null` where the record lacks what the program decides by.
    pub clock: Option<String>,
    /// The rule by which the program takes it.
    pub rule: String,
    /// Where the rule was read: repository, file and its state.
    pub source: String,
    /// What of this machine decided, where there was something to decide; else empty.
    pub because: String,
    /// The path that a read takes here.
    pub path: Option<Path>,
    /// What a read of the clock costs here, without what the program adds, ns: the median and its 95 % interval; `null` with
    /// a reason in `missing`.
    pub cost_ns: Option<Interval>,
    /// What the clock resolves here, ns, with its 95 % interval; `null` where no more than a limit is known, or with a
    /// reason in `missing`.
    pub resolution_ns: Option<Interval>,
    /// What it resolves at most, ns, where no more is known.
    pub resolution_at_most_ns: Option<f64>,
    /// The unit that the program hands readings out in, ns; what is finer it cuts off.
    pub unit_ns: f64,
    /// Whether the evidence agrees: no error and no warning is about this clock; `null` where it was not measured.
    pub agrees: Option<bool>,
    /// What speaks for or against it here, a clause each.
    pub evidence: Vec<String>,
    /// Codes of the findings that speak against it, worst first.
    pub findings: Vec<String>,
    /// What could not be obtained and why; keys are field names of this object.
    pub missing: BTreeMap<String, String>,
}

/// What a program reads a clock for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// How long something took.
    Intervals,
    /// The date and time of day.
    WallTime,
    /// Stamps that need no precision.
    CoarseStamps,
}
