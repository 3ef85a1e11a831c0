//! Which of the system's clocks lies beneath another one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The system's clock that a clock's readings come from, as far as its system calls show it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Beneath {
    /// Its id; `null` where no system call told the readings, or where it can't be said which.
    pub clock: Option<String>,
    /// The system call that told them.
    pub call: Option<String>,
    /// What they have in common with what it told.
    pub by: Option<By>,
    /// Readings that agree with what the call told; where there is none, of the call that comes nearest. By calls: those
    /// that a run with more readings made more.
    pub matched: u64,
    /// Readings in all. By calls: the same.
    pub of: u64,
    /// What was seen, as a sentence without its end.
    pub evidence: String,
}

/// How readings agree with what a system call told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// They are the same values, to the tick, if need be counted from another day than 1970's first.
    Value,
    /// They have the same differences, to the tick: it counts from an origin of its own.
    Difference,
    /// Their values tell nothing, but the more of them there are, the more often the call is made.
    Calls,
    /// They lie where the clock stood meanwhile, as those of others of its epoch do; no call could be watched.
    Place,
}
