//! A straight line through looks, those with wide brackets counting for less and those far off the line for little.

use super::Look;

/// Times that far looks are given less weight.
const ROUNDS: usize = 4;
/// From so many deviations on (Huber 1964).
pub(super) const FAR: f64 = 2.0;

/// A line with the variances of its height at `at_ns`, where they are independent, and of its slope.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Line {
    at_ns: f64,
    height: f64,
    pub(super) slope: f64,
    height_variance: f64,
    pub(super) slope_variance: f64,
}

impl Line {
    /// Through looks that scatter by these deviations.
    pub(super) fn through(looks: &[Look], deviations: &[f64]) -> Self {
        let mut line = Self::default();
        let mut weights: Vec<f64> = deviations.iter().map(|deviation| 1.0 / (deviation * deviation)).collect();
        for _ in 0..ROUNDS {
            line = Self::weighted(looks, &weights);
            for ((look, deviation), weight) in looks.iter().zip(deviations).zip(&mut weights) {
                let far = ((look.offset_ns - line.at(look.at_ns)) / deviation).abs();
                *weight = (FAR / far).min(1.0) / (deviation * deviation);
            }
        }
        line
    }

    fn weighted(looks: &[Look], weights: &[f64]) -> Self {
        let total: f64 = weights.iter().sum();
        let mean = |of: &dyn Fn(&Look) -> f64| looks.iter().zip(weights).map(|(l, w)| of(l) * w).sum::<f64>() / total;
        let first = looks.first().map_or(0.0, |look| look.offset_ns);
        let at_ns = mean(&|look| look.at_ns);
        let height = mean(&|look| look.offset_ns - first);
        let spread = mean(&|look| (look.at_ns - at_ns) * (look.at_ns - at_ns));
        let both = mean(&|look| (look.at_ns - at_ns) * (look.offset_ns - first - height));
        Self {
            at_ns,
            height: height + first,
            slope: if spread > 0.0 { both / spread } else { 0.0 },
            height_variance: 1.0 / total,
            slope_variance: if spread > 0.0 { 1.0 / (total * spread) } else { f64::INFINITY },
        }
    }

    /// Its height there.
    pub(super) fn at(&self, at_ns: f64) -> f64 {
        self.height + self.slope * (at_ns - self.at_ns)
    }

    /// Where it is at 0.
    pub(super) fn root(&self) -> f64 {
        self.at_ns - self.height / self.slope
    }

    /// The variance of its height there.
    pub(super) fn variance(&self, at_ns: f64) -> f64 {
        let away = at_ns - self.at_ns;
        self.height_variance + away * away * self.slope_variance
    }
}
