//! How much looks at an offset scatter by themselves: learnt from them as they come, by medians, which changes and
//! interruptions do not move.

use std::collections::VecDeque;

use super::Look;
use crate::analyze::stats::{median, sort};

/// Looks that it is learnt from, the latest ones.
const KEPT: usize = 256;
/// Fewest looks: fewer leave the scatter open by more than a quarter, and steps would be told that are none.
pub const FEWEST: usize = 48;
/// Looks after which medians are reckoned anew.
const EACH: usize = 16;
/// The standard deviation of a normal distribution, in medians of absolute deviations.
const OF_MEDIAN: f64 = 1.4826;
/// The least scatter, ns: offsets are cut to whole nanoseconds.
const LEAST_NS: f64 = 0.5;

#[derive(Debug, Clone)]
pub(super) struct Noise {
    quantum_ns: f64,
    /// Deviations of looks from the line between their neighbours.
    apart: Latest,
    halves: Latest,
    shifts: Latest,
}

impl Noise {
    pub(super) fn new(quantum_ns: f64) -> Self {
        Self { quantum_ns, apart: Latest::default(), halves: Latest::default(), shifts: Latest::default() }
    }

    /// The latest of these looks is new.
    pub(super) fn take(&mut self, looks: &[Look]) {
        let [.., before, look, after] = looks else { return };
        self.halves.push(after.half_ns);
        let share = (look.at_ns - before.at_ns) / (after.at_ns - before.at_ns);
        let line = before.offset_ns + share * (after.offset_ns - before.offset_ns);
        // The variance of it in those of a look.
        let variance = 1.0 + share * share + (1.0 - share) * (1.0 - share);
        self.apart.push((look.offset_ns - line).abs() / variance.sqrt());
    }

    /// By how much the latest looks lay off the line before them, where nothing had changed.
    pub(super) fn take_shift(&mut self, shift: f64) {
        self.shifts.push(shift.abs());
    }

    /// Whether both have been learnt.
    pub(super) fn is_known(&self) -> bool {
        self.deviation().is_some() && self.usual_shift().is_some()
    }

    /// One standard deviation of a look, ns; `None` before there were enough.
    pub(super) fn deviation(&self) -> Option<f64> {
        let scatter = OF_MEDIAN * self.apart.median()?;
        Some(scatter.max(self.quantum_ns / 12.0_f64.sqrt()).max(LEAST_NS))
    }

    /// The same of one look, whose bracket may be wider than usual.
    pub(super) fn of(&self, look: &Look) -> f64 {
        let wider = (look.half_ns - self.halves.median().unwrap_or(0.0)).max(0.0);
        libm::hypot(self.deviation().unwrap_or(LEAST_NS), wider)
    }

    /// One standard deviation of those shifts.
    pub(super) fn usual_shift(&self) -> Option<f64> {
        Some(OF_MEDIAN * self.shifts.median()?)
    }
}

/// The latest values and their median, which is reckoned anew at every sixteenth.
#[derive(Debug, Clone, Default)]
struct Latest {
    values: VecDeque<f64>,
    since: usize,
    median: Option<f64>,
}

impl Latest {
    fn push(&mut self, value: f64) {
        if self.values.len() == KEPT {
            self.values.pop_front();
        }
        self.values.push_back(value);
        self.since += 1;
        if self.since >= EACH && self.values.len() >= FEWEST {
            self.since = 0;
            let mut sorted: Vec<f64> = self.values.iter().copied().collect();
            sort(&mut sorted);
            self.median = median(&sorted);
        }
    }

    fn median(&self) -> Option<f64> {
        self.median
    }
}
