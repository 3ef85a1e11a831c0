//! How finely a clock moves: readings for its quantum, or where it hardly changes, its changes.

use super::bounds::SLOWEST_TIMER_NS;
use super::slow::Slow;
use crate::analyze::quantum::{Counts, Quantum, from_steps, quantum};
use crate::trace::{Bracketed, Description, Row, Unit};

/// Most readings kept for the quantum.
pub const MOST_READINGS: usize = 1 << 20;

/// What was seen of it.
#[derive(Debug, Clone, Default)]
pub(super) struct Fineness {
    /// What the quantum is looked for in; given back once it was.
    readings: Vec<u64>,
    made: u64,
    changes: usize,
    /// The smallest step among them, in counts: a bound on the quantum where nothing tells it.
    smallest: Option<u64>,
    quantum: Option<Quantum>,
    slow: Option<Slow>,
}

impl Fineness {
    /// Readings with random pauses between them.
    pub(super) fn take(&mut self, values: &[u64]) {
        self.made += values.len() as u64;
        if self.quantum.is_none() && self.readings.len() + values.len() <= MOST_READINGS {
            let mut last = self.readings.last().copied();
            self.changes += values.iter().filter(|value| last.replace(**value) != Some(**value)).count();
            self.readings.extend_from_slice(values);
        }
    }

    /// All of them have come.
    pub(super) fn conclude(&mut self, counts: Counts) {
        let readings = std::mem::take(&mut self.readings);
        self.quantum = Some(quantum(&readings, counts));
        self.smallest = smallest_step(&readings);
        let reads = readings.len();
        // What was read once or twice was not seen not to be slow.
        if (self.changes * 2 < reads || reads < 3) && self.changes < 64 {
            self.slow = Some(Slow::default());
        }
    }

    /// Reads of any kind; `ns`: what a count of the witness and one of the clock are worth.
    pub(super) fn row(&mut self, row: &Row, ns: (f64, f64)) {
        if let Some(slow) = &mut self.slow {
            slow.row(row, ns);
        }
    }

    pub(super) fn single(&mut self, read: Bracketed, ns: (f64, f64)) {
        if let Some(slow) = &mut self.slow {
            slow.single(read, ns);
        }
    }

    /// Readings that have come, and how often the value changed among them.
    pub(super) fn readings(&self) -> (usize, usize) {
        (self.readings.len(), self.changes)
    }

    /// What its changes tell, if they are so rare that nothing else does.
    pub(super) fn slow(&self) -> Option<&Slow> {
        self.slow.as_ref()
    }

    /// Whether all readings have come.
    pub(super) fn is_concluded(&self) -> bool {
        self.quantum.is_some()
    }

    /// What is known of the quantum, in counts; `None` before all readings have come.
    pub(super) fn quantum(&self) -> Option<Quantum> {
        match &self.slow {
            Some(slow) => Some(from_steps(slow.steps())),
            None => self.quantum.clone(),
        }
    }

    /// Readings that it rests on.
    pub(super) fn rests_on(&self) -> u64 {
        self.slow.as_ref().map_or(self.made, |slow| slow.steps().len() as u64)
    }

    /// What the quantum is at most, ns. Where nothing is known: the smallest step seen; where there was none, a tick of the
    /// timer or the unit of output, whichever is longer.
    pub(super) fn at_most(&self, count_ns: f64) -> f64 {
        at_most(self.quantum.as_ref(), self.smallest).map_or(SLOWEST_TIMER_NS.max(count_ns), |counts| counts * count_ns)
    }
}

/// What a quantum is at most, in counts, where nothing is known of it the smallest step; `None` where there was none.
pub(in crate::analyze) fn at_most(quantum: Option<&Quantum>, smallest: Option<u64>) -> Option<f64> {
    match quantum {
        Some(Quantum::Found { value, half_width, .. }) => Some(value + half_width),
        Some(Quantum::NotCoarserThan(limit)) => Some(*limit),
        _ => smallest.map(|step| step as f64),
    }
}

/// The smallest step forward from one reading to the next.
pub(in crate::analyze) fn smallest_step(readings: &[u64]) -> Option<u64> {
    let steps = readings.windows(2).map(|pair| pair[1].wrapping_sub(pair[0]));
    steps.filter(|step| (*step as i64) > 0).min()
}

/// What a clock's readings count.
pub(in crate::analyze) fn counts(description: &Description) -> Counts {
    if description.unit == Unit::Ticks || description.ticks_by.is_some() { Counts::Ticks } else { Counts::Units }
}
