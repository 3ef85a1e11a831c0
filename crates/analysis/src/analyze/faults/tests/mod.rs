//! Watches fed with made-up clocks whose faults are known.

mod hand;
mod mixture;
mod waiting;

use super::{Found, Reads, Terms, Watch};

const TERMS: Terms = Terms {
    count_ns: 1.0,
    witness_ns: 1.0,
    rate: [0.999_9, 1.000_1],
    slack_ns: 25.0,
    standstill_ns: 12.0,
    read_ns: 20.0,
    wide_ns: 1500.0,
    may_pause: false,
};

fn watch(terms: Terms, origin: u64) -> Watch {
    let mut watch = Watch::new(origin);
    watch.set_terms(terms);
    watch
}

fn reads(before: u64, values: &[u64], after: u64, trusted: bool) -> Reads<'_> {
    Reads { before, values, after, cpu: None, trusted }
}

/// Regressions, warps, stalls.
fn counts(found: &Found) -> [u64; 3] {
    [found.regressions.count, found.warps.count, found.stalls.count]
}

/// A made-up clock of 1 ns, read in rows by a reader that can be told what to do at each read.
struct MadeUp {
    time: u64,
    offset: i64,
    watch: Watch,
}

impl MadeUp {
    fn new(terms: Terms) -> Self {
        Self { time: 1_000_000, offset: 5_000_000_000, watch: watch(terms, 1_000_000) }
    }

    fn value(&self) -> u64 {
        (self.time as i64 + self.offset) as u64
    }

    /// Some rows of sound reads.
    fn rows(&mut self, rows: usize, reads: usize) {
        for _ in 0..rows {
            self.row(reads, |clock, _| clock.value());
        }
    }

    /// A row of reads, 22 ns apart; `value` says what each returns.
    fn row(&mut self, reads: usize, mut value: impl FnMut(&mut Self, usize) -> u64) {
        let before = self.time;
        let mut values = Vec::new();
        for i in 0..reads {
            self.time += 22;
            values.push(value(self, i));
        }
        self.time += 20;
        self.watch.row(&Reads { before, values: &values, after: self.time, cpu: Some(0), trusted: true });
        self.time += 15;
    }

    /// A row in which the clock steps before the read `at`.
    fn step(&mut self, reads: usize, at: usize, step: i64) {
        self.row(reads, |clock, i| {
            clock.offset += if i == at { step } else { 0 };
            clock.value()
        });
    }
}
