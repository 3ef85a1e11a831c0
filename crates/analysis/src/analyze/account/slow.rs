//! A clock that changes less often than it is read: all its changes count.

use crate::trace::{Bracketed, Row};

/// Most changes kept.
const CHANGES: usize = 4096;
/// A change is taken for a single step if the reads on both sides of it lie this many times closer together than the
/// clock's value moved: then none was passed over between them.
const CLOSE: f64 = 4.0;

/// What was seen of its changes.
#[derive(Debug, Clone, Default)]
pub(super) struct Slow {
    steps: Vec<u64>,
    /// The last read: its value, and when it was over, by the witness.
    last: Option<(u64, u64)>,
    changed: bool,
}

impl Slow {
    /// Reads in a row: any two of them are at most the row apart. `ns`: what a count of the witness and one of the clock
    /// are worth.
    pub(super) fn row(&mut self, row: &Row, ns: (f64, f64)) {
        for (place, value) in row.values.iter().enumerate() {
            let from = if place == 0 { None } else { Some(row.before.count) };
            self.read(*value, from, row.after.count, ns);
        }
    }

    /// A single read.
    pub(super) fn single(&mut self, read: Bracketed, ns: (f64, f64)) {
        self.read(read.value, None, read.after, ns);
    }

    /// `from`: when the read before was made at the earliest, if not when that read was over.
    fn read(&mut self, value: u64, from: Option<u64>, after: u64, (witness_ns, count_ns): (f64, f64)) {
        let Some((last, taken)) = self.last.replace((value, after)).filter(|(last, _)| *last != value) else {
            return;
        };
        self.changed = true;
        let apart = after.wrapping_sub(from.unwrap_or(taken)) as i64 as f64 * witness_ns;
        let step = value.wrapping_sub(last);
        if apart * CLOSE < step as f64 * count_ns && self.steps.len() < CHANGES {
            self.steps.push(step);
        }
    }

    /// Steps that are single ones, in counts.
    pub(super) fn steps(&self) -> &[u64] {
        &self.steps
    }

    /// Whether a change was seen.
    pub(super) fn has_changed(&self) -> bool {
        self.changed
    }
}
