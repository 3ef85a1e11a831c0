//! What two threads found of each other's readings.

use serde::{Deserialize, Serialize};

/// Bounds on the offset of B's readings against A's, in the clock's counts; either may still be open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Bounds {
    /// It is no less than this.
    pub low: Option<i64>,
    /// It is no more than this.
    pub high: Option<i64>,
}

impl Bounds {
    /// A reading of B, `counts` after a reading of A that came before it: time passed in between, so the offset is at
    /// most that.
    #[inline(always)]
    pub fn to_b(&mut self, counts: i64) {
        self.high = Some(self.high.map_or(counts, |high| high.min(counts)));
    }

    /// A reading of A, `counts` after a reading of B that came before it.
    #[inline(always)]
    pub fn to_a(&mut self, counts: i64) {
        let low = counts.saturating_neg();
        self.low = Some(self.low.map_or(low, |old| old.max(low)));
    }

    /// What holds if both hold.
    pub fn both(&mut self, other: Self) {
        self.low = self.low.max(other.low);
        self.high = joined(self.high, other.high, i64::min);
    }

    /// What holds if one of the two holds, or anything between them.
    fn either(self, other: Self) -> Self {
        let (low, high) = (self.low.zip(other.low), self.high.zip(other.high));
        Self { low: low.map(|(a, b)| a.min(b)), high: high.map(|(a, b)| a.max(b)) }
    }
}

/// What `join` makes of both; where one is not there, the other.
fn joined<T>(a: Option<T>, b: Option<T>, join: impl FnOnce(T, T) -> T) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(join(a, b)),
        (a, b) => a.or(b),
    }
}

/// A bound on the offset, and when it was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// A's reading then.
    pub at: u64,
    /// The bound, in the clock's counts.
    pub counts: i64,
}

/// Bounds of one time that two threads met, close to each other in time. A run that comes back to the same two CPUs again
/// and again sees by them how their offset moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Visit {
    /// It was no less than this.
    pub low: Option<Mark>,
    /// It was no more than this.
    pub high: Option<Mark>,
}

impl Visit {
    /// The same of [`Bounds::to_b`]: A had read `at` before B read.
    #[inline(always)]
    pub fn to_b(&mut self, at: u64, counts: i64) {
        if self.high.is_none_or(|high| counts < high.counts) {
            self.high = Some(Mark { at, counts });
        }
    }

    /// The same of [`Bounds::to_a`]: A read `at` after B had read.
    #[inline(always)]
    pub fn to_a(&mut self, at: u64, counts: i64) {
        let low = counts.saturating_neg();
        if self.low.is_none_or(|old| low > old.counts) {
            self.low = Some(Mark { at, counts: low });
        }
    }

    /// The bounds without their times.
    pub fn bounds(self) -> Bounds {
        Bounds { low: self.low.map(|mark| mark.counts), high: self.high.map(|mark| mark.counts) }
    }

    /// Takes the other's place by the narrower bounds of the two. Bounds that contradict each other, since the offset moved
    /// between them, count for less than any that do not.
    pub fn narrow(&mut self, other: Self) {
        let rank = |visit: Self| {
            let width = visit.high?.counts.saturating_sub(visit.low?.counts);
            Some((width < 0, width.unsigned_abs()))
        };
        if let Some(rank_of_other) = rank(other)
            && rank(*self).is_none_or(|own| rank_of_other < own)
        {
            *self = other;
        }
    }
}

/// What two threads, A and B, found. Counts are the clock's own.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Exchange {
    /// The tightest bounds of all.
    pub bounds: Bounds,
    /// Bounds that hold whenever in the run, taken block by block: wider than `bounds` where the offset stood still,
    /// and true where it did not. `None` until a whole block of messages has come and gone.
    pub ever: Option<Bounds>,
    /// The narrowest bounds that a block of messages gave, of each time that the two met, in the order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub visits: Vec<Visit>,
    /// The NUMA nodes on which the cache lines that they shared lay, each once; empty where the system does not tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<u32>,
    /// Readings that were passed from one thread to the other.
    pub messages: u64,
    /// Shortest way there and back, by A's readings.
    pub round_trip: Option<u64>,
    /// Readings that were compared with the one before them, whichever thread had made it.
    pub ordered: u64,
    /// How many of them were less.
    pub backward: u64,
    /// By how much, at most.
    pub largest: u64,
    /// Reads that failed.
    pub failed: u64,
    /// A thread that was found on another CPU than its own: what it had read there was thrown away.
    pub strayed: bool,
}

impl Exchange {
    /// Compares a reading with the one before it, `counts` being the difference.
    #[inline(always)]
    pub fn compare(&mut self, counts: i64) {
        self.ordered += 1;
        if counts < 0 {
            self.backward += 1;
            self.largest = self.largest.max(counts.unsigned_abs());
        }
    }

    /// A whole block of messages, and its bounds.
    pub fn block(&mut self, bounds: Bounds) {
        self.bounds.both(bounds);
        self.ever = joined(self.ever, Some(bounds), Bounds::either);
    }

    /// Adds what the other thread, or another round of the same two, found.
    pub fn add(&mut self, other: &Self) {
        self.bounds.both(other.bounds);
        self.ever = joined(self.ever, other.ever, Bounds::either);
        self.visits.extend(&other.visits);
        self.nodes.extend(&other.nodes);
        self.nodes.sort_unstable();
        self.nodes.dedup();
        self.messages += other.messages;
        self.round_trip = joined(self.round_trip, other.round_trip, u64::min);
        self.ordered += other.ordered;
        self.backward += other.backward;
        self.largest = self.largest.max(other.largest);
        self.failed = self.failed.saturating_add(other.failed);
        self.strayed |= other.strayed;
    }
}
