//! One reading, and the witness around it.

use serde::{Deserialize, Serialize};

/// One bracketed reading: another clock before, the clock, the other clock after, each in its own counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bracketed {
    /// The other clock before.
    pub before: u64,
    /// The clock.
    pub value: u64,
    /// The other clock after.
    pub after: u64,
}

impl Bracketed {
    /// Width of the bracket, in counts of the other clock; negative if that one went back.
    pub fn width(&self) -> i64 {
        self.after.wrapping_sub(self.before) as i64
    }
}

/// One stamp of the witness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Stamp {
    /// The witness's value, in its own counts.
    pub count: u64,
    /// The CPU that the stamp was taken on, where the witness tells it along with its value.
    pub cpu: Option<u32>,
}

impl Stamp {
    /// Counts passed since `earlier`; negative if the witness went back.
    pub fn since(self, earlier: Stamp) -> i64 {
        self.count.wrapping_sub(earlier.count) as i64
    }
}
