//! Work of known length, timed by a clock.

use serde::{Deserialize, Serialize};

/// Chains of dependent operations, each timed by the clock between a start and a stop, and by the run's witness around both.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timed {
    /// The clock's place in the header.
    pub clock: usize,
    /// One chain a length, the shortest first; the first one is empty. Every lot of a clock has as many.
    pub chains: Vec<Chain>,
    /// Reads that returned an error; there are no chains then.
    pub failed: u64,
}

/// One length.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chain {
    /// Operations, each of which waits for the one before; 0: nothing stands between start and stop.
    pub steps: u32,
    /// By how much the clock advanced, in its counts.
    pub counts: i64,
    /// By how much the witness did, from before the start to after the stop, in its counts.
    pub witness: i64,
}

/// Pairs of start and stop with nothing in between.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Empties {
    /// The clock's place in the header.
    pub clock: usize,
    /// Whether the reader was kept on one CPU.
    pub pinned: bool,
    /// Each difference, in the clock's counts, and how often.
    pub counts: Vec<(i64, u64)>,
    /// Why the longest took as long, where it stood out.
    pub cause: Option<String>,
    /// Reads that returned an error.
    pub failed: u64,
}
