//! The quanta of the clocks that others are measured by.

use std::collections::BTreeMap;

use super::account::counts;
use super::quantum::{Quantum, quantum};
use crate::trace::Description;

/// Most readings kept of each.
const MOST: usize = 8192;

/// What was read of them.
#[derive(Debug, Clone, Default)]
pub(super) struct Timers {
    readings: BTreeMap<usize, Vec<u64>>,
    quanta: BTreeMap<usize, f64>,
}

impl Timers {
    /// Readings with random pauses between them.
    pub(super) fn take(&mut self, clock: usize, values: &[u64]) {
        let readings = self.readings.entry(clock).or_default();
        let room = MOST.saturating_sub(readings.len());
        readings.extend(values.iter().take(room));
    }

    /// Reckons the quanta of those that were read since. `clocks` describes all, by their places.
    pub(super) fn settle(&mut self, clocks: &[Description]) {
        for (clock, readings) in std::mem::take(&mut self.readings) {
            let Some(description) = clocks.get(clock) else { continue };
            let most = match quantum(&readings, counts(description)) {
                Quantum::Found { value, half_width, .. } => value + half_width,
                Quantum::NotCoarserThan(limit) => limit,
                Quantum::Unknown(_) => continue,
            };
            self.quanta.insert(clock, most);
        }
    }

    /// The quantum at most, in the clock's counts: 1 where it does not show.
    pub(super) fn quantum(&self, clock: usize) -> f64 {
        self.quanta.get(&clock).copied().unwrap_or(1.0)
    }
}
