//! The quanta of the clocks that others are measured by.

use std::collections::BTreeMap;

use super::account::{SLOWEST_TIMER_NS, at_most, counts, smallest_step};
use super::quantum::quantum;
use crate::trace::{Description, Unit};

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
            let found = quantum(&readings, counts(description));
            let most = at_most(Some(&found), smallest_step(&readings)).unwrap_or(match description.unit {
                // It did not move: it may be as coarse as a tick of the slowest timer.
                Unit::Ns(ns) => f64::max(1.0, SLOWEST_TIMER_NS / ns),
                Unit::Ticks => 1.0,
            });
            self.quanta.insert(clock, most);
        }
    }

    /// The quantum at most, in the clock's counts: 1 where it does not show.
    pub(super) fn quantum(&self, clock: usize) -> f64 {
        self.quanta.get(&clock).copied().unwrap_or(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Kind;

    #[test]
    fn a_clock_that_did_not_move_is_as_coarse_as_timers_are() {
        let clocks = [Description::new("jiffies", "", Kind::Monotonic, Unit::Ns(1.0))];
        let of = |readings: &[u64]| {
            let mut timers = Timers::default();
            timers.take(0, readings);
            timers.settle(&clocks);
            timers.quantum(0)
        };
        assert_eq!(of(&[4_000_000; 512]), SLOWEST_TIMER_NS);
        let moved: Vec<u64> = (0..512_u64).map(|i| i / 300 * 4_000_000).collect();
        assert!((of(&moved) - 4e6).abs() < 10.0);
        assert_eq!(of(&[]), SLOWEST_TIMER_NS);
    }
}
