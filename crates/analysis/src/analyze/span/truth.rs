//! How long the chains truly were, by the witness.

use super::super::stats::{Z95, autocorrelation_factor, median, sort};
use crate::trace::Chain;

/// Lots whose rates are taken together: the CPU's frequency may wander, but not within these.
const NEIGHBOURS: usize = 9;
/// Chains of each lot that tell them: the longest.
const LONG: usize = 4;

/// A mean of values without those that an interruption made, half the width of its 95 % interval, and their standard
/// deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Centre {
    pub(super) mean: f64,
    pub(super) off: f64,
    pub(super) sd: f64,
}

/// The mean of all values but those that lie farther from the median than the bulk and a clock's steps make likely: ten
/// times the middle 90 %, and three steps of `quantum`. A median would be drawn to the lattice of a coarse clock.
pub(super) fn centre(values: &[f64], quantum: f64) -> Option<Centre> {
    let mut sorted = values.to_vec();
    sort(&mut sorted);
    let middle = median(&sorted)?;
    let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share).round() as usize];
    let reach = 10.0 * (at(0.95) - at(0.05)) + 3.0 * quantum;
    let kept: Vec<f64> = values.iter().copied().filter(|value| (value - middle).abs() <= reach).collect();
    let n = kept.len() as f64;
    let mean = kept.iter().sum::<f64>() / n;
    let variance = kept.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (n - 1.0).max(1.0);
    let (factor, _) = autocorrelation_factor(&kept, mean);
    Some(Centre { mean, off: Z95 * (variance * factor.max(1.0) / n).sqrt(), sd: variance.sqrt() })
}

/// True lengths, in counts of the witness.
pub(super) struct Truth {
    /// A lot's counts a step.
    rates: Vec<f64>,
    /// A length's counts beside those of its steps: what ends a loop takes.
    pub(super) beside: Vec<Centre>,
    /// What all lengths are wrong by alike, at most: the doubt about what the witness itself takes.
    pub(super) all_off: f64,
    /// What the witness shows of an empty chain, in its counts.
    pub(super) empty: f64,
}

impl Truth {
    /// Of lots that all have the same number of chains. What the reads take is what the witness
    /// shows of the empty ones.
    pub(super) fn of(lots: &[&[Chain]], quantum: f64) -> Option<Self> {
        let lengths = lots.first()?.len();
        let column = |place: usize| lots.iter().map(move |lot| lot[place]);
        let empty: Vec<f64> = column(0).map(|chain| chain.witness as f64).collect();
        let empty = centre(&empty, quantum)?;
        let rate = |chain: &Chain| (chain.witness as f64 - empty.mean) / f64::from(chain.steps.max(1));
        let long = 1.max(lengths.saturating_sub(LONG))..lengths;
        let of_lot = |lot: &&[Chain]| lot[long.clone()].iter().map(rate).collect();
        let each: Vec<Vec<f64>> = lots.iter().map(of_lot).collect();
        let rates: Vec<f64> = (0..each.len()).map(|at| among_neighbours(&each, at)).collect();
        let beside = (0..lengths).map(|place| {
            let beside = column(place)
                .zip(&rates)
                .map(|(chain, rate)| chain.witness as f64 - empty.mean - rate * f64::from(chain.steps));
            let found = centre(&beside.collect::<Vec<f64>>(), quantum)?;
            // An interval without work has no length.
            Some(if place == 0 { Centre { mean: 0.0, off: 0.0, sd: 0.0 } } else { found })
        });
        Some(Self { beside: beside.collect::<Option<_>>()?, all_off: empty.off, empty: empty.mean, rates })
    }

    /// How long the chain of that lot and length was.
    pub(super) fn length(&self, lot: usize, place: usize, chain: Chain) -> f64 {
        self.rates[lot] * f64::from(chain.steps) + self.beside[place].mean
    }
}

/// The median of a lot's values and its neighbours'.
fn among_neighbours(values: &[Vec<f64>], at: usize) -> f64 {
    let from = at.saturating_sub(NEIGHBOURS / 2).min(values.len().saturating_sub(NEIGHBOURS));
    let mut near = values[from..(from + NEIGHBOURS).min(values.len())].concat();
    sort(&mut near);
    median(&near).unwrap_or_default()
}
