//! When a clock's offset stepped, and when its rate changed: from looks at the offset that come one by one. Method:
//! docs/method/monitor.md.
//!
//! * `line` — a line through looks that an interruption can't mislead
//! * `noise` — how much looks scatter by themselves
//! * `fit` — what explains the latest looks best: no change, a step, a slew, or both

mod fit;
mod line;
mod noise;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use fit::Split;
pub use noise::FEWEST;
use noise::Noise;

use crate::record::Interval;

/// Looks behind a change that it takes to be told, at least; and at most, where step and slew look alike.
const AFTER: usize = 4;
const MOST_AFTER: usize = 8;
/// The latest place of a change that is tried: one that began later than the alarm made it seem is not to be told early.
const FEWEST_AFTER: usize = 2;
/// How far back a change may lie that is told.
const FARTHEST: usize = 12;
/// Looks before it, at least and at most.
const BEFORE: usize = 4;
const MOST_BEFORE: usize = 32;
/// Of those after, so many have to lie beyond three deviations on the same side: single looks may be off by any amount.
const ASIDE: usize = AFTER - 1;
const BEYOND: f64 = 3.0;
/// How many deviations the shift of the latest looks has to have. Of looks that scatter normally one in 10^11 has it by
/// chance, which at a look a second is once in 3000 years.
const SHIFT: f64 = 7.0;
/// By how much a change has to explain the looks better than none: twice the logarithm of their likelihoods' ratio.
const GAIN: f64 = 60.0;
/// By how much step or slew have to differ in that to be told apart at once.
const APART: f64 = 20.0;
/// A change smaller than this many quanta may be the clock's own steps.
const QUANTA: f64 = 1.5;

/// A look at a clock: its offset, known to within `half_ns` for certain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// When, ns.
    pub at_ns: f64,
    /// The middle of the offset's bounds, ns.
    pub offset_ns: f64,
    /// Half of their distance, ns.
    pub half_ns: f64,
}

/// What changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// When, ns.
    pub at_ns: f64,
    /// Within this much of it, ns.
    pub at_uncertainty_ns: f64,
    /// How far the offset jumped, ns, with its 95 % interval.
    pub step_ns: Option<Interval>,
    /// By how much the rate changed, ppm, with its 95 % interval.
    pub slew_ppm: Option<Interval>,
}

/// Watches a clock's offset. Memory is bounded: some hundred numbers.
#[derive(Debug, Clone)]
pub struct Changes {
    quantum_ns: f64,
    noise: Noise,
    /// The latest looks since the last change.
    recent: VecDeque<Look>,
    /// Whether the latest looks seem to have left the line before them.
    alarmed: bool,
}

impl Changes {
    /// Of a clock of that quantum, ns, the reference's included.
    pub fn new(quantum_ns: f64) -> Self {
        Self { quantum_ns, noise: Noise::new(quantum_ns), recent: VecDeque::new(), alarmed: false }
    }

    /// One more look; what changed, if that can be told now: some looks later than it did.
    pub fn push(&mut self, look: Look) -> Option<Change> {
        if self.recent.back().is_some_and(|last| look.at_ns <= last.at_ns) || !look.offset_ns.is_finite() {
            return None;
        }
        self.recent.push_back(look);
        if self.recent.len() > MOST_BEFORE + FARTHEST {
            self.recent.pop_front();
        }
        let looks = self.recent.make_contiguous().to_vec();
        self.noise.take(&looks);
        if looks.len() < BEFORE + AFTER {
            return None;
        }
        if !self.noise.is_known() {
            let (shift, _) = Split::new(&looks, looks.len() - AFTER, &self.noise).shift();
            self.noise.take_shift(shift);
            return None;
        }
        if std::mem::replace(&mut self.alarmed, false) {
            return self.decide(&looks);
        }
        self.alarmed = self.is_aside(&looks);
        None
    }

    /// Whether the latest looks lie aside of the line before them; also what their shift is as a rule.
    fn is_aside(&mut self, looks: &[Look]) -> bool {
        let split = Split::new(looks, looks.len() - AFTER, &self.noise);
        let (shift, deviation) = split.shift();
        let usual = self.noise.usual_shift();
        let is_large =
            shift.abs() > SHIFT * deviation.max(usual.unwrap_or(0.0)) && shift.abs() > QUANTA * self.quantum_ns;
        let aside = [1.0, -1.0].map(|sign| split.residuals().filter(|z| z * sign > BEYOND).count());
        if !is_large {
            self.noise.take_shift(shift);
        }
        is_large && aside.iter().any(|count| *count >= ASIDE)
    }

    /// What best explains the latest looks, if it is clear by now.
    fn decide(&mut self, looks: &[Look]) -> Option<Change> {
        let last = looks.len() - FEWEST_AFTER;
        let first = looks.len().saturating_sub(FARTHEST).max(BEFORE);
        let splits: Vec<Split> = (first..=last).map(|at| Split::new(looks, at, &self.noise)).collect();
        let is_long = |split: &Split| looks.len() - split.at() >= AFTER;
        let (step, stepped) = best(splits.iter().map(|split| (split.step_cost(), split)))?;
        let (slew, slewed) = best(splits.iter().map(|split| (split.slew_cost(), split)))?;
        let (both, moved) = best(splits.iter().filter(|split| is_long(split)).map(|split| (split.both_cost(), split)))?;
        let one = step.min(slew);
        let (cost, split, change) = if one - both > GAIN {
            (both, moved, moved.both())
        } else if step <= slew {
            (step, stepped, stepped.step())
        } else {
            (slew, slewed, slewed.slew())
        };
        let none = split.none_cost();
        let is_large = |change: &Change| {
            let least = QUANTA * self.quantum_ns;
            let span = split.span_ns();
            change.step_ns.is_some_and(|step| step.value.abs() > least)
                || change.slew_ppm.is_some_and(|slew| (slew.value * 1e-6 * span).abs() > least)
        };
        if none - cost < GAIN || !is_large(&change) {
            return None;
        }
        let is_clear = is_long(split) && ((step - slew).abs() > APART || one - both > GAIN);
        if !is_clear && looks.len() - stepped.at().max(slewed.at()) < MOST_AFTER {
            self.alarmed = true;
            return None;
        }
        self.recent.drain(..split.at());
        Some(change)
    }

    /// How much looks scatter, ns, one standard deviation; `None` before there are enough.
    pub fn noise_ns(&self) -> Option<f64> {
        self.noise.deviation()
    }

    /// The smallest step that can be told, ns.
    pub fn least_step_ns(&self) -> Option<f64> {
        let scatter = self.noise.deviation()? * (1.0 / AFTER as f64 + 1.0 / MOST_BEFORE as f64).sqrt();
        Some((SHIFT * scatter.max(self.noise.usual_shift().unwrap_or(0.0))).max(QUANTA * self.quantum_ns))
    }
}

fn best<'a, 'b>(mut all: impl Iterator<Item = (f64, &'b Split<'a>)>) -> Option<(f64, &'b Split<'a>)> {
    let first = all.next()?;
    Some(all.fold(first, |best, one| if one.0 < best.0 { one } else { best }))
}
