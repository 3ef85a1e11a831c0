//! What programmers of each language get.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Beneath, Finding, Machine, Runtime, SampledClock, Tool, Unavailable};

/// The schema's name and version.
pub const RUNTIMES_SCHEMA: &str = "clockscope-runtimes/1";

/// The clocks of the language runtimes that are installed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuntimesReport {
    /// Always `clockscope-runtimes/1`.
    pub schema: String,
    /// The program that wrote this.
    pub tool: Tool,
    /// When it began, UTC; `null` where the system does not tell.
    pub started: Option<String>,
    /// The machine.
    pub machine: Machine,
    /// The CPU that the probes ran on; `null` where they were not pinned.
    pub cpu: Option<u32>,
    /// Readings of each clock that the probes were asked for.
    pub samples: u64,
    /// One entry a runtime.
    pub runtimes: Vec<RuntimeFound>,
    /// The traps that show in it.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// Whether the run was stopped before its end.
    pub interrupted: bool,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// One runtime.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuntimeFound {
    /// Its name in the list, as `python`.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// What it says of its version; `null` where it was not asked or did not say.
    pub version: Option<String>,
    /// What its probe says of the runtime; `null` where it said nothing.
    pub runtime: Option<Runtime>,
    /// Its clocks.
    pub clocks: Vec<RuntimeClock>,
    /// Clocks that its probe knows and that are not there.
    pub absent: Vec<Unavailable>,
    /// How long it all took, building it as well, s; `null` where it was not run.
    pub took_s: Option<f64>,
    /// Why there is nothing, or not all.
    pub missing: Option<String>,
}

/// One clock of a runtime.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuntimeClock {
    /// Which of the system's clocks lies beneath; `null` where that was not found out.
    pub beneath: Option<Beneath>,
    /// Whether it is offered for timing intervals, by its documentation or its name.
    #[serde(default)]
    pub for_intervals: bool,
    /// What its samples tell.
    #[serde(flatten)]
    pub sampled: SampledClock,
}
