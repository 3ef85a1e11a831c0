//! What a tally of lengths comes to, in counts.

use crate::trace::Tally;
use crate::trace::tally::{EXACT, lengths_of};

/// Figures of lengths, in counts.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Lengths {
    pub(super) count: u64,
    pub(super) sum: f64,
    /// Of the rest, where there are any: least, median, mean, standard deviation, 99th and 99.9th percentile, greatest.
    pub(super) figures: Option<[f64; 7]>,
}

/// All of them.
pub(super) fn lengths(tally: &Tally) -> Lengths {
    let short = || tally.seen.iter().filter(|(place, _)| u64::from(**place) < EXACT);
    let product = |length: u32, count: u64| u128::from(length) * u128::from(count);
    let count = tally.seen.values().fold(0_u64, |sum, count| sum.saturating_add(*count));
    let sum = short().fold(u128::from(tally.long.sum), |sum, (length, count)| sum + product(*length, *count));
    let squares = short().fold(tally.long.squares(), |sum, (length, count)| {
        sum.saturating_add(product(*length, *count).saturating_mul(u128::from(*length)))
    });
    let (Some(least), Some(greatest)) = (quantile(tally, count, 0.0), quantile(tally, count, 1.0)) else {
        return Lengths::default();
    };
    let mean = sum as f64 / count as f64;
    // n Σx² − (Σx)² in whole numbers, as long as they fit: else the difference of two large numbers would be lost.
    let n = u128::from(count);
    let spread = n.checked_mul(squares).zip(sum.checked_mul(sum)).map(|(all, of_mean)| all.saturating_sub(of_mean));
    let variance = match spread {
        Some(spread) => spread as f64 / count as f64 / count as f64,
        None => (squares as f64 / count as f64 - mean * mean).max(0.0),
    };
    let at = |share| quantile(tally, count, share).unwrap_or(least);
    let figures = [least, at(0.5), mean, variance.sqrt(), at(0.99), at(0.999), greatest];
    Lengths { count, sum: sum as f64, figures: Some(figures) }
}

/// The length that this share of all does not exceed; of a place of several lengths its middle, within what was seen.
fn quantile(tally: &Tally, count: u64, share: f64) -> Option<f64> {
    let rank = ((share * count as f64).ceil() as u64).clamp(1, count.max(1));
    let mut below = 0_u64;
    let (place, _) = tally.seen.iter().find(|(_, count)| {
        below = below.saturating_add(**count);
        below >= rank
    })?;
    let (least, greatest) = lengths_of(*place as usize);
    if greatest < EXACT {
        return Some(least as f64);
    }
    let (low, high) = (least.max(tally.long.least), greatest.min(tally.long.greatest));
    Some(match share {
        0.0 => low as f64,
        1.0 => high as f64,
        _ => f64::midpoint(low as f64, high as f64),
    })
}

/// The most frequent of the short lengths, with their numbers.
pub(super) fn commonest(tally: &Tally, most: usize) -> Vec<(u64, u64)> {
    let short = tally.seen.iter().filter(|(place, _)| u64::from(**place) < EXACT);
    let mut all: Vec<(u64, u64)> = short.map(|(length, count)| (u64::from(*length), *count)).collect();
    all.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    all.truncate(most);
    all
}

/// Share of the short lengths that are a whole number of quanta, as near as whole counts show them.
pub(super) fn on_quantum(tally: &Tally, quantum: f64) -> Option<f64> {
    // Each reading is rounded down to a count, so a difference may be off by one unless quanta are whole counts.
    let near = if (quantum - quantum.round()).abs() * 32.0 < 0.5 { 0.5 } else { 1.0 };
    let (mut on, mut all) = (0_u64, 0_u64);
    for (length, count) in tally.seen.iter().filter(|(place, _)| u64::from(**place) < EXACT) {
        let length = f64::from(*length);
        let off = length - (length / quantum).round() * quantum;
        all = all.saturating_add(*count);
        on = on.saturating_add(if off.abs() <= near { *count } else { 0 });
    }
    (all > 0).then(|| on as f64 / all as f64)
}
