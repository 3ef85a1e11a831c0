//! What a policy came to on records.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Tool;

/// The report's schema and version; a change that breaks a reader raises the number.
pub const CHECK_SCHEMA: &str = "clockscope-check/1";

/// What `clockscope check` found out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckReport {
    /// Always `clockscope-check/1`.
    pub schema: String,
    /// The program that checked.
    pub tool: Tool,
    /// The policy: a file, or the name of one that comes with the program.
    pub policy: String,
    /// What the policy calls itself.
    pub title: Option<String>,
    /// The day by which waivers were judged, as in `2026-12-31`.
    pub on: String,
    /// Whether no requirement fails on any record.
    pub passed: bool,
    /// How many requirements came out how, over all records.
    pub counts: CheckCounts,
    /// One entry a record.
    pub records: Vec<CheckedRecord>,
}

/// How many requirements came out how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckCounts {
    /// Records on which some requirement fails.
    pub records_failed: u64,
    /// Requirements that are met.
    pub met: u64,
    /// Requirements that are violated.
    pub violated: u64,
    /// Requirements that could not be decided.
    pub undecided: u64,
    /// Of these, how many the policy lets pass.
    pub undecided_passed: u64,
}

/// What the policy came to on one record.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckedRecord {
    /// The record's file, or `this machine`.
    pub record: String,
    /// When the record's run began, as it states it.
    pub started: Option<String>,
    /// The host's name, where the record has it.
    pub hostname: Option<String>,
    /// Whether no requirement fails.
    pub passed: bool,
    /// One entry a requirement, in the policy's order.
    pub requirements: Vec<Requirement>,
}

/// One requirement, and what was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Requirement {
    /// Where it stands in the policy, as in `clocks.monotonic.cost_ns`; the unit of `value` and its bounds is the last part's.
    pub requirement: String,
    /// What was found, in words; `null` where nothing was.
    pub found: Option<String>,
    /// The figure found; `null` where it is none, or where only its bounds are known.
    pub value: Option<f64>,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end of its 95 % interval.
    pub high: Option<f64>,
    /// What is required, in words.
    pub limit: String,
    /// How it came out.
    pub outcome: Decision,
    /// Whether it makes the check fail: it is violated, or undecided and the policy does not let that pass.
    pub fails: bool,
    /// Why it came out so.
    pub why: String,
}

/// How a requirement came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// The record shows that it holds.
    Met,
    /// The record shows that it does not hold.
    Violated,
    /// The record shows neither: the interval straddles the limit, the figure is absent, or there were too few reads.
    Undecided,
}
