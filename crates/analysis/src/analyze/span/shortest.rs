//! From which length on timings stay within a share of it.

use super::super::stats::Z95;
use super::curve::{Curve, Point};
use crate::record::{Interval, Span, SpanBy};

/// Shares of an interval.
pub(super) const SHARES: [f64; 3] = [0.1, 0.01, 0.001];
/// Timings whose mean is taken.
const MEANS: [u32; 3] = [10, 100, 1000];
/// The error of a clock of quantum 1 that shows the last step past: that of two uniform phases' difference, of which 95 in
/// 100 are no larger than this, 1 - √0.05.
pub const OF_QUANTUM: f64 = 0.776_393;
/// Where the error of the longest chain is no more than so many times that of the middle one, it does not grow.
const ALIKE: f64 = 2.0;

/// The shortest intervals that a curve tells.
pub fn spans(curve: &Curve) -> Vec<Span> {
    let mut all = Vec::new();
    for within in SHARES {
        let singly = |subtracted: bool| {
            let errors = |point: &Point| if subtracted { point.subtracted } else { point.raw };
            let found = of(curve, within, errors);
            found.map(|(by, [low, ns, high])| Span { within, mean_of: 1, subtracted, ns, low, high, by })
        };
        all.extend([false, true].into_iter().filter_map(singly));
        all.extend(MEANS.into_iter().filter_map(|mean_of| {
            // What is left of the mean, and 1.96 of its standard deviations, either way; less and more by the doubt of both.
            let errors = |point: &Point| {
                let left = point.mean_ns.abs();
                let left = [(left - point.mean_off_ns).max(0.0), left, left + point.mean_off_ns];
                [0, 1, 2].map(|end| left[end] + Z95 * point.sd_ns[end] / f64::from(mean_of).sqrt())
            };
            let (by, [low, ns, high]) = of(curve, within, errors)?;
            Some(Span { within, mean_of, subtracted: true, ns, low, high, by })
        }));
    }
    all
}

/// The shortest intervals of a clock that does not move within the longest chain: by its quantum alone, ns.
pub fn by_quantum(quantum: Interval) -> Vec<Span> {
    let one = |within: f64| {
        let [ns, low, high] = [quantum.value, quantum.low, quantum.high].map(|quantum| OF_QUANTUM * quantum / within);
        Span { within, mean_of: 1, subtracted: true, ns, low, high, by: SpanBy::Quantum }
    };
    SHARES.map(one).to_vec()
}

/// The length by each of three errors: the interval's ends and what lies between.
fn of(curve: &Curve, within: f64, errors: impl Fn(&Point) -> [f64; 3]) -> Option<(SpanBy, [f64; 3])> {
    let points: Vec<(f64, [f64; 3])> =
        curve.points.iter().map(|point| (point.shown.length_ns, errors(point))).collect();
    let found: Vec<(SpanBy, f64)> = (0..3)
        .map(|end| shortest(&points.iter().map(|(length, errors)| (*length, errors[end])).collect::<Vec<_>>(), within))
        .collect::<Option<_>>()?;
    // What is at most so long may be as short as you like.
    let low = if found[0].0 == SpanBy::AtMost { 0.0 } else { found[0].1 };
    Some((found[1].0, [low, found[1].1, found[2].1]))
}

/// From which length on each of these (length, error) stays within the share: between the last that does not and the next,
/// where both are powers of the length.
fn shortest(points: &[(f64, f64)], within: f64) -> Option<(SpanBy, f64)> {
    let over = |&(length, error): &(f64, f64)| libm::log((error / (within * length)).max(f64::MIN_POSITIVE));
    let (first, last) = (points.first()?, points.last()?);
    let Some(at) = points.iter().rposition(|point| over(point) > 0.0) else {
        return Some((SpanBy::AtMost, first.0));
    };
    if at + 1 == points.len() {
        let middle = points[points.len() / 2].1;
        return (last.1 <= ALIKE * middle).then_some((SpanBy::Extrapolated, last.1 / within));
    }
    let (a, b) = (&points[at], &points[at + 1]);
    let share = over(a) / (over(a) - over(b));
    Some((SpanBy::Measured, libm::exp(libm::log(a.0) + share * (libm::log(b.0) - libm::log(a.0)))))
}
