//! The latest looks parted in two: by what the later ones left the line through the earlier ones.

use super::line::Line;
use super::noise::Noise;
use super::{BEYOND, Change, Look, MOST_BEFORE};
use crate::record::Interval;

/// Places between two looks at which a slew may begin that are tried.
const PLACES: usize = 16;
/// A look whose deviation is so many times the usual one may lie before a change or after it.
const BLURRED: f64 = 2.0;
/// Deviations on either side of a 95 % interval.
const Z95: f64 = 1.959_964;

/// Looks parted before that of place `at`.
#[derive(Debug)]
pub(super) struct Split<'a> {
    looks: &'a [Look],
    at: usize,
    line: Line,
    /// What the line leaves of the earlier looks: twice the logarithm of their likelihood, less what all splits have alike.
    before: f64,
    /// The later ones.
    after: Vec<After>,
    /// When the last look before and the first one after were made, those with wide brackets apart.
    between: (f64, f64),
}

/// A later look: how far off the line, and the deviation of that.
#[derive(Debug, Clone, Copy)]
struct After {
    at_ns: f64,
    off: f64,
    deviation: f64,
}

impl<'a> Split<'a> {
    pub(super) fn new(looks: &'a [Look], at: usize, noise: &Noise) -> Self {
        let deviation = |look: &Look| noise.of(look);
        let earlier = &looks[at.saturating_sub(MOST_BEFORE)..at];
        let deviations: Vec<f64> = earlier.iter().map(deviation).collect();
        let line = Line::through(earlier, &deviations);
        // Of all looks before the split, so that every split is held to the same ones.
        let before =
            looks[..at].iter().map(|look| loss((look.offset_ns - line.at(look.at_ns)) / deviation(look))).sum();
        let after = looks[at..].iter().map(|look| After {
            at_ns: look.at_ns,
            off: look.offset_ns - line.at(look.at_ns),
            deviation: libm::hypot(deviation(look), line.variance(look.at_ns).sqrt()),
        });
        let usual = noise.deviation().unwrap_or(f64::INFINITY);
        let is_sharp = |look: &&Look| deviation(look) <= BLURRED * usual;
        let to = looks[at..].iter().find(is_sharp).unwrap_or(&looks[at]).at_ns;
        let from = looks[..at].iter().rev().find(is_sharp).or(looks[..at].last()).map_or(to, |look| look.at_ns);
        Self { looks, at, line, before, after: after.collect(), between: (from, to) }
    }

    /// The place of the first look of the later ones.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// For how long there were looks since the last one before.
    pub(super) fn span_ns(&self) -> f64 {
        self.looks.last().map_or(0.0, |last| last.at_ns - self.between.0)
    }

    /// The later looks off the line, in deviations.
    pub(super) fn residuals(&self) -> impl Iterator<Item = f64> + '_ {
        self.after.iter().map(|after| after.off / after.deviation)
    }

    /// Their mean off the line, and its deviation: by their scatter and by the line's own.
    pub(super) fn shift(&self) -> (f64, f64) {
        let (mut weights, mut sum, mut middle, mut own) = (0.0, 0.0, 0.0, 0.0);
        for after in &self.after {
            let line = self.line.variance(after.at_ns);
            let weight = 1.0 / (after.deviation * after.deviation);
            weights += weight;
            sum += weight * after.off;
            middle += weight * after.at_ns;
            own += weight * weight * (after.deviation * after.deviation - line).max(0.0);
        }
        let variance = own / (weights * weights) + self.line.variance(middle / weights);
        (sum / weights, variance.sqrt())
    }

    /// What is left where nothing changed.
    pub(super) fn none_cost(&self) -> f64 {
        self.left(|_| 0.0)
    }

    /// What is left by a step.
    pub(super) fn step_cost(&self) -> f64 {
        let size = self.fitted(|_| 1.0);
        self.left(|_| size)
    }

    /// What is left by a slew from some moment since the look before on.
    pub(super) fn slew_cost(&self) -> f64 {
        self.knot().0
    }

    /// What is left by a step and a slew at once.
    pub(super) fn both_cost(&self) -> f64 {
        let line = self.free();
        self.left(|after| line.at(after.at_ns))
    }

    /// The step.
    pub(super) fn step(&self) -> Change {
        let size = self.fitted(|_| 1.0);
        let (_, deviation) = self.shift();
        self.change(Some(interval(size, deviation)), None)
    }

    /// The slew.
    pub(super) fn slew(&self) -> Change {
        let (_, begin, slope) = self.knot();
        let (from, to) = self.between;
        let slew = interval(slope * 1e6, (self.free().slope_variance + self.line.slope_variance).sqrt() * 1e6);
        Change { at_ns: begin, at_uncertainty_ns: (to - from) / 2.0, step_ns: None, slew_ppm: Some(slew) }
    }

    /// Both.
    pub(super) fn both(&self) -> Change {
        let line = self.free();
        let (from, to) = self.between;
        let middle = f64::midpoint(from, to);
        let deviation = (line.variance(middle) + self.line.variance(middle)).sqrt();
        let slope = (line.slope_variance + self.line.slope_variance).sqrt();
        self.change(Some(interval(line.at(middle), deviation)), Some(interval(line.slope * 1e6, slope * 1e6)))
    }

    fn change(&self, step_ns: Option<Interval>, slew_ppm: Option<Interval>) -> Change {
        let (from, to) = self.between;
        Change { at_ns: f64::midpoint(from, to), at_uncertainty_ns: (to - from) / 2.0, step_ns, slew_ppm }
    }

    /// A line of its own through the later looks, off the one before.
    fn free(&self) -> Line {
        let looks: Vec<Look> =
            self.after.iter().map(|after| Look { at_ns: after.at_ns, offset_ns: after.off, half_ns: 0.0 }).collect();
        let deviations: Vec<f64> = self.after.iter().map(|after| after.deviation).collect();
        Line::through(&looks, &deviations)
    }

    /// The best slew: what it leaves, when it begins, and its slope.
    fn knot(&self) -> (f64, f64, f64) {
        let (from, to) = self.between;
        let begin = |place: usize| from + (to - from) * place as f64 / PLACES as f64;
        let one = |begin: f64| {
            let slope = self.fitted(|after| after.at_ns - begin);
            (self.left(|after| slope * (after.at_ns - begin)), begin, slope)
        };
        // Where a line through the later looks meets the one before: between the places.
        let free = self.free();
        let meet = free.root().max(from).min(to);
        let meet = Some(meet).filter(|meet| meet.is_finite());
        let all = (0..=PLACES).map(begin).chain(meet).map(one);
        all.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, to, 0.0))
    }

    /// How many times `shape` the later looks show.
    fn fitted(&self, shape: impl Fn(&After) -> f64) -> f64 {
        let mut size = 0.0;
        for _ in 0..3 {
            let (mut sum, mut norm) = (0.0, 0.0);
            let before = size;
            for after in &self.after {
                let shape = shape(after);
                let far = ((after.off - before * shape) / after.deviation).abs();
                // At first all are far.
                let weight = if before == 0.0 { 1.0 } else { (BEYOND / far).min(1.0) };
                let weight = weight / (after.deviation * after.deviation);
                sum += weight * shape * after.off;
                norm += weight * shape * shape;
            }
            size = if norm > 0.0 { sum / norm } else { 0.0 };
        }
        size
    }

    fn left(&self, by: impl Fn(&After) -> f64) -> f64 {
        let after = self.after.iter().map(|after| loss((after.off - by(after)) / after.deviation));
        self.before + after.sum::<f64>()
    }
}

/// Huber's: a square up to three deviations, linear beyond.
fn loss(far: f64) -> f64 {
    let far = far.abs();
    if far < BEYOND { far * far } else { BEYOND * (2.0 * far - BEYOND) }
}

fn interval(value: f64, deviation: f64) -> Interval {
    let half = Z95 * deviation;
    Interval { value, low: value - half, high: value + half }
}
