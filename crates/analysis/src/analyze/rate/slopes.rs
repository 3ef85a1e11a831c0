//! The rate by the slopes between readings, with an interval by their own scatter.

use super::pair::{Pair, Quanta, at_share, reach, weighted};
use crate::analyze::stats;
use crate::record::Interval;
use crate::trace::Bracketed;

/// Fewest pairs for an interval by their signs: 2⁻⁵ of the time fewer would all lie on one side of the truth.
const FEWEST: usize = 6;

/// The weighted median of the slopes between the first and the last quarter of each piece (longer ones would have fewer
/// readings, shorter ones less of a lever, and more of what wanders in between), with the rates that the weighted sign
/// test does not reject at 5 %; `None` where there are too few, or where the readings were taken in step
/// with a coarse clock, so that their errors are one common error that no scatter shows.
pub(super) fn slopes(pieces: &[Vec<Bracketed>], quanta: Quanta) -> Option<Interval> {
    let mut pairs: Vec<Pair> = Vec::new();
    for piece in pieces {
        let ends = piece.len().div_ceil(4).min(piece.len() / 2);
        let (first, last) = (&piece[..ends], &piece[piece.len() - ends..]);
        pairs.extend(first.iter().zip(last).filter_map(|(a, b)| Pair::of(*a, *b, quanta.by)));
    }
    let sorted = weighted(&pairs);
    let value = at_share(&sorted, 0.5)?;
    if pairs.len() < FEWEST || !is_spread(&pairs, value, f64::max(quanta.clock, quanta.by * value.abs())) {
        return None;
    }
    let length: f64 = pairs.iter().map(|pair| pair.apart).sum();
    let each: Vec<f64> = pairs.iter().map(Pair::slope).collect();
    let (factor, quantile) = stats::autocorrelation_factor(&each, value);
    // Less than 1, of so few pairs it would be chance.
    let factor = factor.max(1.0);
    if (pairs.len() as f64) < FEWEST as f64 * factor {
        return None;
    }
    let reach = reach(pairs.iter().map(|pair| pair.apart), (factor, quantile));
    let (low, high) = (at_share(&sorted, 0.5 - reach)?, at_share(&sorted, 0.5 + reach)?);
    // A few slopes may agree by chance better than their brackets allow: half a bracket as the deviation of each.
    let brackets = pairs.iter().map(|pair| pair.half_width * pair.half_width / 4.0).sum::<f64>().sqrt();
    let least = brackets / length * value.abs();
    Some(Interval { value, low: low.min(value - least), high: high.max(value + least) })
}

/// Whether the readings were taken all over the quantum, so that its error differs from one to the other. Of two errors
/// that are spread evenly over the quantum the median difference is 1 − √½ = 0.29 of it; half of that will do.
fn is_spread(pairs: &[Pair], value: f64, quantum: f64) -> bool {
    let mut off: Vec<f64> = pairs.iter().map(|pair| pair.excess(value).abs()).collect();
    stats::sort(&mut off);
    stats::median(&off).is_some_and(|off| off >= 0.15 * quantum)
}
