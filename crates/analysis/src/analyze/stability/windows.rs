//! By how far the phase ranges within windows of 2^k + 1 phases: the maximum time interval error (ITU-T G.810). The range of
//! a window is made of those of its two halves, which share a phase.

use std::collections::VecDeque;

use super::EXACT;

/// Ranges over windows of each length, the longest of them as the series grows.
#[derive(Debug, Clone, Default)]
pub(super) struct Windows {
    last: Option<f64>,
    levels: Vec<Level>,
}

/// Lowest and highest phase of a window.
type Range = [f64; 2];

/// Windows of one length.
#[derive(Debug, Clone, Default)]
struct Level {
    /// The latest of them, as many as lie within their length.
    latest: VecDeque<Range>,
    count: u64,
    largest: f64,
}

impl Windows {
    /// The next phase.
    pub(super) fn push(&mut self, phase: f64) {
        let Some(last) = self.last.replace(phase) else { return };
        let mut range = [last.min(phase), last.max(phase)];
        for octave in 0.. {
            if octave == self.levels.len() {
                self.levels.push(Level::default());
            }
            let level = &mut self.levels[octave];
            level.largest = level.largest.max(range[1] - range[0]);
            level.latest.push_back(range);
            level.count += 1;
            // Windows that begin where that one ends.
            let apart = EXACT.min(1_usize.checked_shl(octave as u32).unwrap_or(EXACT));
            if level.latest.len() <= apart {
                return;
            }
            let Some(first) = level.latest.pop_front() else { return };
            let begin = level.count - 1 - apart as u64;
            // Of long windows every other one is made into a longer one.
            if apart == EXACT && !begin.is_multiple_of(2) {
                return;
            }
            range = [range[0].min(first[0]), range[1].max(first[1])];
        }
    }

    /// The largest range over windows of so many steps: a power of two; `None` before the first of them.
    pub(super) fn largest(&self, steps: u64) -> Option<f64> {
        let level = self.levels.get(steps.is_power_of_two().then(|| steps.ilog2())? as usize)?;
        (level.count > 0).then_some(level.largest)
    }
}
