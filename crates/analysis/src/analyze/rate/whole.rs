//! The rate over a whole run, with an interval that steps, wander and a coarse clock can't make too narrow.

use super::pair::Pair;
use super::segments::segments;
use crate::analyze::stats;
use crate::record::Interval;
use crate::trace::Bracketed;

/// Fewest pairs for an interval by their signs: 2⁻⁵ of the time fewer would all lie on one side of the truth.
const FEWEST: usize = 6;

/// Clock counts a count of the bracketing clock over the whole time, with its 95 % interval; `None` without two
/// readings apart.
///
/// The readings are cut where the clock stepped (`segments`). In each piece the first half's readings are paired
/// with the second half's, in order: disjoint pairs, each as long as half of the piece. The rate is the weighted
/// median of their slopes (Theil 1950, Sen 1968, with Jaeckel's weights 1972: the pairs' lengths). The interval holds
/// every slope that the weighted sign test does not reject at 5 %; its variance is multiplied by
/// 1 + 2 Σ ρ(k), the autocorrelation of the signs: slopes share much of their time, and so the wander in it. Below
/// six pairs, the brackets' hard bounds stand in for it.
///
/// `quantum`: of the clock, in its counts. It widens the interval by what it can tilt the line: as an error of its
/// own in each reading where the readings are spread over it, as one common error where they are not.
pub fn whole(anchors: &[Bracketed], quantum: f64) -> Option<Interval> {
    let mut pairs: Vec<Pair> = Vec::new();
    for segment in segments(anchors, quantum) {
        let (first, second) = segment.split_at(segment.len() / 2);
        let second = &second[second.len() - first.len()..];
        pairs.extend(first.iter().zip(second).filter_map(|(a, b)| Pair::of(*a, *b)));
    }
    let mut sorted: Vec<(f64, f64)> = pairs.iter().map(|pair| (pair.slope(), pair.apart)).collect();
    sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let length: f64 = pairs.iter().map(|pair| pair.apart).sum();
    let squares: f64 = pairs.iter().map(|pair| pair.apart * pair.apart).sum();
    let value = at_weight(&sorted, length / 2.0)?;

    let (mut low, mut high) = if pairs.len() < FEWEST {
        let bound = |pair: &Pair| (pair.half_width * value.abs() + quantum) / pair.apart;
        let low = pairs.iter().map(|pair| pair.slope() - bound(pair)).fold(f64::INFINITY, f64::min);
        let high = pairs.iter().map(|pair| pair.slope() + bound(pair)).fold(f64::NEG_INFINITY, f64::max);
        (low, high)
    } else {
        let slopes: Vec<f64> = pairs.iter().map(Pair::slope).collect();
        let likeness = stats::likeness(&slopes, value).max(1.0);
        let z = if likeness > 1.0 { stats::z_of(pairs.len() as f64 / likeness) } else { stats::Z95 };
        let reach = z * (squares * likeness).sqrt() + length / pairs.len() as f64;
        let low = at_weight(&sorted, f64::max(0.0, (length - reach) / 2.0))?;
        let high = at_weight(&sorted, f64::min(length, f64::midpoint(length, reach)))?;
        (low, high)
    };
    // A few slopes may agree by chance better than their brackets allow.
    let brackets = pairs.iter().map(|pair| (pair.half_width / 2.0).powi(2)).sum::<f64>().sqrt();
    let grain =
        if is_spread(&pairs, value, quantum) { quantum / (pairs.len() as f64).sqrt() } else { quantum };
    let least = brackets / length * value.abs();
    (low, high) = (low.min(value - least), high.max(value + least));
    let grain = grain * pairs.len() as f64 / length;
    Some(Interval { value, low: low - grain, high: high + grain })
}

/// The slope at which the weights of those below reach `wanted`. `sorted` by slope, with weights.
fn at_weight(sorted: &[(f64, f64)], wanted: f64) -> Option<f64> {
    let mut below = 0.0;
    let found = sorted.iter().find(|(_, weight)| {
        below += weight;
        below >= wanted
    });
    found.or(sorted.last()).map(|(slope, _)| *slope)
}

/// Whether the readings were taken all over the quantum, so that its error differs from one to the other: the
/// half of the pairs that disagree most do so by an eighth of it or more.
fn is_spread(pairs: &[Pair], value: f64, quantum: f64) -> bool {
    let mut off: Vec<f64> = pairs.iter().map(|pair| (pair.advance - value * pair.apart).abs()).collect();
    stats::sort(&mut off);
    pairs.len() >= FEWEST && stats::median(&off).is_some_and(|off| off >= quantum / 8.0)
}
