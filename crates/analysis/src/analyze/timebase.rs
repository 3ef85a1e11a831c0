//! What a count of the run's witness is worth, by the reference.

use super::rate::{Quanta, edge, rate};
use super::thinning::Thinned;
use crate::record::Interval;
use crate::trace::{Bracketed, Singles};

/// A reference that has not moved over this many reads is known by the moments at which it moves: a clock that moves
/// with the timer's tick (4 ms where the kernel has nothing but jiffies) tells no rate between two readings that lie
/// within one step.
pub const READS_OF_ONE_STEP: usize = 256;
/// It may move in the midst of them, if it has moved less often than once in so many reads.
const READS_A_STEP: usize = 64;
/// Most readings kept, evenly spread over the run.
const MOST: usize = 4096;
/// The interval may be this wide, relative, for figures in nanoseconds to mean anything.
const WIDEST: f64 = 0.01;

/// The reference beside the witness.
#[derive(Debug, Clone)]
pub(super) struct Timebase {
    /// Nanoseconds a count of the reference.
    count_ns: f64,
    /// Whether the witness is the reference.
    same: bool,
    /// Whether only the moments are taken at which the reference moves.
    by_edges: bool,
    /// The last reading of a reference that is known by its edges.
    last: Option<Bracketed>,
    edges: u64,
    readings: Thinned<Bracketed>,
    tick: Interval,
}

impl Timebase {
    /// Of a reference of so many nanoseconds a count beside a witness of about `witness_ns` a count; `same`: it is the
    /// witness itself.
    pub(super) fn new(count_ns: f64, witness_ns: f64, same: bool) -> Self {
        let value = if same { count_ns } else { witness_ns };
        let tick = Interval::exactly(value);
        Self { count_ns, same, by_edges: false, last: None, edges: 0, readings: Thinned::new(MOST), tick }
    }

    /// Nanoseconds a count of the reference.
    pub(super) fn count_ns(&self) -> f64 {
        self.count_ns
    }

    /// Reads of the reference between stamps of the witness.
    pub(super) fn take(&mut self, lot: &Singles) {
        if self.by_edges {
            // A read by itself says nothing of when the clock moved, and the next lot comes long after it.
            if lot.reads.len() < 2 {
                self.last = None;
                return;
            }
            for read in &lot.reads {
                if let Some(edge) = self.last.replace(*read).and_then(|last| edge(last, *read)) {
                    self.readings.push(edge);
                    self.edges += 1;
                }
            }
        } else if lot.reads.len() >= READS_OF_ONE_STEP && changes(lot) * READS_A_STEP < lot.reads.len() {
            self.by_edges = true;
            self.readings.clear();
        } else {
            lot.reads.iter().for_each(|read| self.readings.push(*read));
        }
    }

    /// Whether the reference is known by its edges, and how many of them have come.
    pub(super) fn edges(&self) -> Option<u64> {
        self.by_edges.then_some(self.edges)
    }

    /// Readings of the reference that are kept.
    pub(super) fn readings(&self) -> usize {
        self.readings.as_slice().len()
    }

    /// The reference may run at another rate from now on.
    pub(super) fn forget(&mut self) {
        self.readings.clear();
        self.last = None;
    }

    /// Reckons the tick anew. Quanta are in each clock's own counts.
    pub(super) fn settle(&mut self, quanta: Quanta) {
        if self.same {
            return;
        }
        // An edge is a reading of a clock that has no quantum but its count.
        let quanta = if self.by_edges { Quanta { clock: 1.0, ..quanta } } else { quanta };
        if let Some(rate) = rate(self.readings.as_slice(), quanta).filter(|rate| rate.low > 0.0) {
            let ns = |counts: f64| counts * self.count_ns;
            self.tick = Interval { value: ns(rate.value), low: ns(rate.low), high: ns(rate.high) };
        }
    }

    /// Whether reference and witness agree on a rate; if not, no figure in ns would mean anything.
    pub(super) fn is_settled(&self) -> bool {
        let Interval { value, low, high } = self.tick;
        self.same || (low > 0.0 && low < high && high - low < WIDEST * value)
    }

    /// Nanoseconds a count of the witness.
    pub(super) fn tick(&self) -> Interval {
        self.tick
    }
}

/// How often the clock moved from one read to the next.
fn changes(lot: &Singles) -> usize {
    lot.reads.windows(2).filter(|pair| pair[0].value != pair[1].value).count()
}
