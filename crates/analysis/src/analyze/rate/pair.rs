//! Two bracketed readings of one clock, and how coarse they are.

#[cfg(doc)]
use crate::analyze::stats;
use crate::trace::Bracketed;

/// The quanta of two clocks, each in its own counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quanta {
    /// Of the clock that is read.
    pub clock: f64,
    /// Of the clock that brackets its reads.
    pub by: f64,
}

impl Quanta {
    /// By how much a count may be behind the time that it stands for. Whole counts of a lattice that has none are cut
    /// once more. `None` where a quantum is no number.
    pub(super) fn slack(self) -> Option<Self> {
        let slack = |quantum: f64| if quantum <= 1.0 { 1.0 } else { quantum + 1.0 };
        (self.clock.is_finite() && self.by.is_finite()).then(|| Self { clock: slack(self.clock), by: slack(self.by) })
    }
}

/// What lies between two readings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pair {
    /// Counts that the clock advanced.
    pub(super) advance: f64,
    /// Counts of the other clock in between, from middle to middle of the brackets; positive.
    pub(super) apart: f64,
    /// How far off `apart` can be: half of both brackets together, and the other clock's quantum.
    pub(super) half_width: f64,
}

impl Pair {
    /// `None` where the other clock did not go on. `by`: its quantum.
    pub(super) fn of(a: Bracketed, b: Bracketed, by: f64) -> Option<Self> {
        let shortest = b.before.wrapping_sub(a.after) as i64 as f64;
        let longest = b.after.wrapping_sub(a.before) as i64 as f64;
        let apart = f64::midpoint(shortest, longest);
        let advance = b.value.wrapping_sub(a.value) as i64 as f64;
        let half_width = (longest - shortest) / 2.0 + by;
        (apart > 0.0 && half_width >= 0.0).then_some(Self { advance, apart, half_width })
    }

    /// Counts of the clock a count of the other one.
    pub(super) fn slope(&self) -> f64 {
        self.advance / self.apart
    }

    /// By how much the clock advanced more than at this rate.
    pub(super) fn excess(&self, rate: f64) -> f64 {
        self.advance - rate * self.apart
    }
}

/// The slopes of pairs and their lengths as weights, sorted by slope.
pub(super) fn weighted<'a>(pairs: impl IntoIterator<Item = &'a Pair>) -> Vec<(f64, f64)> {
    let mut slopes: Vec<(f64, f64)> = pairs.into_iter().map(|pair| (pair.slope(), pair.apart)).collect();
    slopes.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    slopes
}

/// The slope at which the weights of those below reach this share of all.
pub(super) fn at_share(sorted: &[(f64, f64)], share: f64) -> Option<f64> {
    let wanted = share * sorted.iter().map(|(_, weight)| weight).sum::<f64>();
    let mut below = 0.0;
    let found = sorted.iter().find(|(_, weight)| {
        below += weight;
        below >= wanted
    });
    found.or(sorted.last()).map(|(slope, _)| *slope)
}

/// Half of the share of the weights between the ends of a median's 95 % interval, by the weighted sign test's normal
/// approximation, half of a slope for continuity; `factor` and `quantile` as [`stats::autocorrelation_factor`] gives them.
pub(super) fn reach(weights: impl Iterator<Item = f64>, (factor, quantile): (f64, f64)) -> f64 {
    let add = |(n, sum, squares): (f64, f64, f64), weight: f64| (n + 1.0, sum + weight, squares + weight * weight);
    let (n, sum, squares) = weights.fold((0.0, 0.0, 0.0), add);
    f64::midpoint(quantile * (squares * factor).sqrt() / sum, 1.0 / n)
}
