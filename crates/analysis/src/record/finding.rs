//! What the rules found, and which clock to use.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One rule's result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Stable code, `CS001` and so on; `clockscope explain CS001` tells the whole story.
    pub code: String,
    /// How bad it is.
    pub severity: Severity,
    /// Whether it holds on every sound machine of some kind, as of every virtual one, so that it tells nothing of this one.
    #[serde(default)]
    pub usual: bool,
    /// Whether it tells of this run rather than of the machine: another run on it may be without. A gate lets it pass.
    #[serde(default)]
    pub of_run: bool,
    /// One line: what is the case.
    pub title: String,
    /// The figures that say so.
    pub evidence: String,
    /// Why it matters.
    pub why: String,
    /// What to do.
    pub fix: String,
    /// Ids of the clocks concerned; empty where it concerns the machine.
    pub clocks: Vec<String>,
}

/// How bad a finding is; the order is worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// A clock lies, or time is badly wrong.
    Error,
    /// It works, but costs or risks more than it need.
    Warning,
    /// Good to know.
    Note,
}

/// Which clock to use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// For intervals: id, or `null` where no measured clock can be trusted.
    pub intervals: Option<String>,
    /// For wall time.
    pub wall: Option<String>,
    /// For the cheapest stamps.
    pub cheap: Option<String>,
    /// Why, one sentence each.
    pub because: Because,
}

/// Why the verdict is what it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Because {
    /// Why this clock for intervals.
    pub intervals: String,
    /// Why this clock for wall time.
    pub wall: String,
    /// Why this clock for cheap stamps.
    pub cheap: String,
}
