//! What a thread saw that timed nothing, by a start and a stop at a time, while others did the same.

use serde::{Deserialize, Serialize};

use super::{Counted, Tally};

/// One of the threads that read a clock at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pairs {
    /// The clock.
    pub clock: usize,
    /// How many threads read at once.
    pub threads: u32,
    /// Which of them this is, from 0.
    pub thread: u32,
    /// The CPU that it was pinned to.
    pub cpu: Option<u32>,
    /// What it saw, or why it saw nothing.
    pub seen: Result<Paired, String>,
}

/// What it saw. Lengths are in the clock's counts, from a pair's start to its stop.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Paired {
    /// The lengths of all pairs but those taken again.
    pub lengths: Tally,
    /// Pairs of which a read failed.
    pub failed: u64,
    /// Readings less than the one before.
    pub backward: u64,
    /// How far the largest of them went back, counts.
    pub farthest_back: u64,
    /// Pairs taken again: their reads were made on two CPUs, and the clock is a CPU's own.
    pub retried: u64,
    /// What these lasted, counts.
    pub retried_counts: u64,
    /// Times that the thread was found on another CPU.
    pub migrations: u64,
    /// From its first read to its last one, ns.
    pub observed_ns: f64,
    /// What of it passed in long gaps between two pairs, counts.
    pub between_counts: u64,
    /// What of it the search for causes took, ns.
    pub looking_ns: f64,
    /// Pairs longer than this were looked into, counts.
    pub threshold: u64,
    /// The long pairs, together where the same things happened in them.
    pub long: Vec<LongPairs>,
    /// The longest ones by themselves.
    pub longest: Vec<LongPairs>,
}

/// Long pairs of about the same length in which the same things happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LongPairs {
    /// How many.
    pub pairs: u64,
    /// What they lasted, counts.
    pub counts: u64,
    /// Whether the thread was on another CPU after them.
    pub migrated: bool,
    /// What the kernel counted from the look before each to the one right after it.
    pub grown: Counted,
}

impl LongPairs {
    /// Of a pair by itself: what has the same number is alike, and can be added up. Lengths are, within an octave: else a few
    /// long ones of one cause would pass for a little of each of many short ones of another.
    pub fn kind(&self) -> u64 {
        let octave = u64::BITS - self.counts.leading_zeros();
        (self.grown.pattern() * 2 + u64::from(self.migrated)) * 128 + u64::from(octave)
    }
}
