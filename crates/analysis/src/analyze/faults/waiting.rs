//! Reads made before it is known what to judge them by.

use std::collections::VecDeque;

use super::terms::Reads;

/// Most changes of value that wait; a run of equal values counts as one. A survey knows its terms after some 20,000 of a
/// clock, for which 350 KiB are enough; these take 12 MiB if each is a row of its own.
const ROOM: usize = 1 << 18;

/// Rows in the order in which they were read.
#[derive(Debug, Clone, Default)]
pub(super) struct Waiting {
    rows: VecDeque<Stamps>,
    /// The values of all of them: each with how many times in a row it was read.
    values: VecDeque<(u64, u32)>,
}

/// A row without its values.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stamps {
    before: u64,
    after: u64,
    cpu: Option<u32>,
    runs: u32,
    trusted: bool,
    /// It is not measured from what was before it.
    pub(super) apart: bool,
}

impl Waiting {
    /// Whether there is more than may wait.
    pub(super) fn is_over_full(&self) -> bool {
        self.values.len() > ROOM
    }

    pub(super) fn push(&mut self, row: &Reads, apart: bool) {
        let Reads { before, values, after, cpu, trusted } = *row;
        let runs = values.chunk_by(|a, b| a == b);
        let old = self.values.len();
        self.values.extend(runs.map(|run| (run[0], run.len() as u32)));
        let runs = (self.values.len() - old) as u32;
        self.rows.push_back(Stamps { before, after, cpu, runs, trusted, apart });
    }

    /// The oldest row; its values are written to `values`.
    pub(super) fn pop(&mut self, values: &mut Vec<u64>) -> Option<Stamps> {
        let row = self.rows.pop_front()?;
        values.clear();
        for (value, reads) in self.values.drain(..row.runs as usize) {
            values.extend(std::iter::repeat_n(value, reads as usize));
        }
        Some(row)
    }
}

impl Stamps {
    /// The row again.
    pub(super) fn with(self, values: &[u64]) -> Reads<'_> {
        let Self { before, after, cpu, trusted, .. } = self;
        Reads { before, values, after, cpu, trusted }
    }
}
