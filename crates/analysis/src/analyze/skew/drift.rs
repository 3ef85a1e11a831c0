//! How fast the offset of two CPUs moves, from the bounds of each time that they met.
//!
//! Two figures. *Certain*: a rate d and an offset o must satisfy low ≤ o + d·t ≤ high for every bound, and eliminating o
//! (Fourier 1826) leaves d ≤ (high_j − low_i) / (t_j − t_i) for i before j and the opposite for j before i. With no more
//! than the order of messages it is the set of Moon, Skelly and Towsley (Estimation and Removal of Clock Skew from
//! Network Delay Measurements, 1999), who take one point of it. *By the middles*: the slope of least squares through the
//! means of eight runs of the middles of the narrower half of the visits, whose shortest ways there and back are taken
//! to be no more unequal at the run's one end than at the other.

use std::f64::consts::PI;

use crate::analyze::stats::{median, sort};
use crate::record::{Drift, Interval};
use crate::trace::{Mark, Visit};

const PPB: f64 = 1e9;
/// The slope is of the means of so many runs of neighbours. Load comes and goes over many meetings, and with it by how much
/// the ways there and back differ, so neighbours are alike; means over an eighth of the time hardly are, and where they are,
/// their scatter shows it.
const BATCHES: usize = 8;
/// Fewest narrow meetings: eight in each.
const FEWEST: usize = 8 * BATCHES;
/// Most likeness of neighbouring middles (autocorrelation): where the ways' lengths wander more slowly, the runs are alike
/// too, and no scatter shows it.
const MOST_ALIKE: f64 = 0.5;
/// Degrees of freedom that the line leaves, and Student's t of a two-sided 95 % interval with them (Abramowitz and Stegun,
/// table 26.10).
const FREEDOM: f64 = BATCHES as f64 - 2.0;
const T95: f64 = 2.446_912;

/// A bound at A's time, both in counts.
#[derive(Clone, Copy)]
struct Point {
    at: f64,
    counts: f64,
}

/// The rate of B's clock by A's, less 1, or its mean from the first meetings to the last where no line fits; the reason
/// where there is none. Time grows with the square of the visits.
pub(super) fn drift(visits: &[Visit], quantum: Option<f64>, count_ns: f64) -> Result<Drift, String> {
    let quantum = quantum.ok_or("the clock's steps were not resolved")?.ceil();
    let both = visits.iter().filter_map(|visit| visit.low.zip(visit.high));
    let (origin, offset) = both.clone().next().map_or((0, 0), |(low, _)| (low.at, low.counts));
    // A clock in steps of a quantum shows a value up to that old.
    let point = |mark: Mark, slack: f64| Point {
        at: mark.at.wrapping_sub(origin).cast_signed() as f64,
        counts: (i128::from(mark.counts) - i128::from(offset)) as f64 + slack,
    };
    let met: Vec<(Point, Point)> = both.map(|(low, high)| (point(low, -quantum), point(high, quantum))).collect();
    let [very_first, .., very_last] = met[..] else {
        return Err("the two met once only: take --time, as in `clockscope skew --time 10s`".into());
    };
    let line = some_line(&met);
    let ends = if line.is_some() { Some((very_first, very_last)) } else { ends(&met) };
    let (first, last) = ends.ok_or("the offset moved faster than messages could follow")?;
    let over = last.0.at - first.1.at;
    let average =
        || ((last.0.counts - first.1.counts) / over, (last.1.counts - first.0.counts) / (last.1.at - first.0.at));
    let certain = line.unwrap_or_else(average);
    if !(over > 0.0 && certain.0.is_finite() && certain.1.is_finite() && certain.0 <= certain.1) {
        return Err("the first CPU's readings did not advance from one meeting to the next".into());
    }
    let by_middles = match line {
        None => Err("the offset did not move at one rate: it stepped, or its rate changed".to_owned()),
        Some((least, most)) => slope(&met, f64::midpoint(least, most), quantum),
    };
    let ppb = |rate: f64| rate.clamp(certain.0, certain.1) * PPB;
    let within = |found: &Interval| Interval { value: ppb(found.value), low: ppb(found.low), high: ppb(found.high) };
    Ok(Drift {
        ppb: by_middles.as_ref().ok().map(within),
        low_ppb: certain.0 * PPB,
        high_ppb: certain.1 * PPB,
        steady: line.is_some(),
        visits: met.len() as u64,
        over_ns: over * count_ns,
        missing: by_middles.err(),
    })
}

/// The narrowest of the first tenth of the meetings and of the last: others may have kept a CPU busy in the very first.
/// Meetings during which the offset moved, so that their bounds contradict each other, are passed over.
fn ends(met: &[(Point, Point)]) -> Option<((Point, Point), (Point, Point))> {
    let tenth = met.len().div_ceil(10);
    let narrowest = |some: &[(Point, Point)]| {
        let width = |(low, high): &(Point, Point)| high.counts - low.counts;
        let stood = some.iter().copied().filter(|met| width(met) >= 0.0);
        stood.min_by(|a, b| width(a).total_cmp(&width(b)))
    };
    narrowest(&met[..tenth]).zip(narrowest(&met[met.len() - tenth..]))
}

/// The rates that some offset goes with; `None` where no line runs between all bounds.
fn some_line(met: &[(Point, Point)]) -> Option<(f64, f64)> {
    let (mut least, mut most) = (f64::NEG_INFINITY, f64::INFINITY);
    for (low, _) in met {
        for (_, high) in met {
            let (between, room) = (high.at - low.at, high.counts - low.counts);
            if between > 0.0 {
                most = most.min(room / between);
            } else if between < 0.0 {
                least = least.max(room / between);
            } else if room < 0.0 {
                return None;
            }
        }
    }
    (least <= most).then_some((least, most))
}

/// The slope through the middles of the narrower half, with its 95 % interval; `about`: the rate, roughly.
fn slope(met: &[(Point, Point)], about: f64, quantum: f64) -> Result<Interval, String> {
    let level = |point: Point| point.counts - about * point.at;
    let width = |(low, high): &(Point, Point)| level(*high) - level(*low);
    let mut widths: Vec<f64> = met.iter().map(width).collect();
    sort(&mut widths);
    let narrow = median(&widths).unwrap_or(0.0);
    let middles: Vec<Point> = met
        .iter()
        .filter(|visit| width(visit) <= narrow)
        .map(|(low, high)| Point {
            at: f64::midpoint(low.at, high.at),
            counts: f64::midpoint(level(*low), level(*high)),
        })
        .collect();
    if middles.len() < FEWEST {
        let (narrow, all) = (middles.len(), met.len());
        return Err(format!(
            "{narrow} of {all} meetings were narrow, and a slope takes {FEWEST}: take a longer --time"
        ));
    }
    let part = |i: usize| i * middles.len() / BATCHES;
    let points: Vec<Point> = (0..BATCHES).map(|i| mean(&middles[part(i)..part(i + 1)])).collect();
    let centre = mean(&points);
    let spread = squares(&points, |point| point.at - centre.at);
    let slope =
        points.iter().map(|point| (point.at - centre.at) * (point.counts - centre.counts)).sum::<f64>() / spread;
    let off = |point: &Point| point.counts - centre.counts - slope * (point.at - centre.at);
    let variance = squares(&points, off) / FREEDOM;
    let by_chance = T95 * (variance / spread).sqrt();
    let scatter = squares(&middles, off) / middles.len() as f64;
    // What lies within the clock's steps is allowed for below, however slowly it comes and goes.
    if scatter > quantum * quantum / 4.0 && likeness(&middles, off) > MOST_ALIKE {
        return Err("the ways there and back change as slowly as the run is long: take a longer --time".into());
    }
    let value = about + slope;
    let reach = by_chance + by_steps(value, &middles, (quantum, scatter));
    Ok(Interval { value, low: value - reach, high: value + reach })
}

/// How alike neighbours lie off the line: by von Neumann's ratio, 2 (1 − ρ) (1941).
fn likeness(middles: &[Point], off: impl Fn(&Point) -> f64) -> f64 {
    let off: Vec<f64> = middles.iter().map(off).collect();
    let steps: f64 = off.windows(2).map(|pair| (pair[1] - pair[0]) * (pair[1] - pair[0])).sum();
    let all: f64 = off.iter().map(|off| off * off).sum();
    if all > 0.0 { 1.0 - steps / all / 2.0 } else { 0.0 }
}

fn squares(points: &[Point], of: impl Fn(&Point) -> f64) -> f64 {
    points.iter().map(|point| of(point) * of(point)).sum()
}

/// The mean of some points.
fn mean(points: &[Point]) -> Point {
    let of = |what: fn(&Point) -> f64| points.iter().map(what).sum::<f64>() / points.len() as f64;
    Point { at: of(|point| point.at), counts: of(|point| point.counts) }
}

/// What the clock's steps may do to a slope. A middle is off by half a quantum at most, as a saw's tooth that repeats
/// whenever the offset has moved by a quantum. The worst is an error that has one sign before the mean time and the other
/// after it; of a saw with k teeth the kth part is left, for the errors of a whole tooth add up to nothing. But meetings must
/// show the teeth: where few of them fall on each, a slower saw appears (aliasing), so no more is taken off than that many.
///
/// And scatter from elsewhere smears the teeth: of a saw of period q a normal scatter of σ leaves exp(−2π²σ²/q²) (Widrow
/// and Kollár, Quantization Noise, 2008). Of the scatter q²/12 may be the saw's own.
fn by_steps(rate: f64, middles: &[Point], (quantum, scatter): (f64, f64)) -> f64 {
    let (Some(first), Some(last)) = (middles.first(), middles.last()) else { return 0.0 };
    if quantum == 0.0 {
        return 0.0;
    }
    let at = mean(middles).at;
    let far: f64 = middles.iter().map(|point| (point.at - at).abs()).sum();
    let spread = squares(middles, |point| point.at - at);
    let teeth = (rate * (last.at - first.at) / quantum).abs().max(1.0);
    let shown = teeth.min(middles.len() as f64 / teeth).max(1.0);
    let steps = quantum * quantum;
    let left = libm::exp(-2.0 * PI * PI * (scatter - steps / 12.0).max(0.0) / steps);
    left * quantum / 2.0 * far / spread / shown
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Meetings a second apart (1e9 counts) of CPUs whose offset is as told; a message takes 100 counts and up to `late`
    /// more.
    fn met(offsets: impl IntoIterator<Item = f64>, late: f64) -> Vec<Visit> {
        let mut random = fastrand::Rng::with_seed(7);
        let mark =
            |i: usize, counts: f64| Some(Mark { at: (1 << 40) + i as u64 * 1_000_000_000, counts: counts as i64 });
        let mut way = move || 100.0 + late * random.f64();
        let of = |(i, offset): (usize, f64)| Visit { low: mark(i, offset - way()), high: mark(i, offset + way()) };
        offsets.into_iter().enumerate().map(of).collect()
    }

    fn found(visits: &[Visit]) -> Drift {
        drift(visits, Some(1.0), 1.0).expect("they met more than once")
    }

    #[test]
    fn a_steady_drift_lies_within_both_intervals_and_none_is_not_made_up() {
        for ppb in [0.0, 10.0, -10.0, 50_000.0] {
            let drift = found(&met((0..160).map(|i| 5000.0 + ppb * f64::from(i)), 30.0));
            assert!(drift.steady && drift.visits == 160 && drift.over_ns == 159e9, "{drift:?}");
            assert!((drift.low_ppb..=drift.high_ppb).contains(&ppb), "{ppb}: {drift:?}");
            // The ways there and back are 200 counts together, at least, and 159 s apart.
            assert!((200.0 / 159.0..260.0 / 79.0).contains(&(drift.high_ppb - drift.low_ppb)), "{drift:?}");
            let slope = drift.ppb.expect("narrow enough");
            assert!((slope.low..=slope.high).contains(&ppb) && slope.high - slope.low < 1.0, "{ppb}: {slope:?}");
        }
    }

    #[test]
    fn an_offset_that_steps_is_no_steady_drift_but_its_mean_is_bounded() {
        let drift = found(&met((0..160).map(|i| if i < 80 { 0.0 } else { 6000.0 }), 30.0));
        assert!(!drift.steady && drift.ppb.is_none() && drift.missing.is_some(), "{drift:?}");
        assert!((drift.low_ppb..=drift.high_ppb).contains(&(6000.0 / (drift.over_ns * 1e-9))), "{drift:?}");
    }

    #[test]
    fn few_meetings_give_bounds_alone_and_one_gives_none() {
        let two = found(&met([0.0, 10.0], 0.0));
        assert!(two.steady && two.ppb.is_none() && two.missing.is_some(), "{two:?}");
        assert!(two.low_ppb < 10.0 && two.high_ppb > 10.0, "{two:?}");
        for visits in [&met([0.0], 0.0)[..], &[]] {
            assert!(drift(visits, Some(1.0), 1.0).unwrap_err().contains("--time"));
        }
        assert!(drift(&met([0.0, 10.0], 0.0), None, 1.0).unwrap_err().contains("steps"));
    }

    #[test]
    fn a_clock_of_large_steps_shows_no_drift_that_is_smaller() {
        // 10 counts in 159 s move an offset by less than a step of 26: each meeting says the same.
        let visits = met((0..160).map(|_| 0.0), 0.0);
        let slope = drift(&visits, Some(26.0), 1.0).unwrap().ppb.unwrap();
        assert!(slope.low < -10.0 / 159.0 && slope.high > 10.0 / 159.0, "{slope:?}");
    }

    proptest! {
        #[test]
        fn garbage_does_no_harm(
            marks in prop::collection::vec(any::<(u64, i64, u64, i64)>(), 0..12),
            quantum in prop::option::of(any::<f64>()),
        ) {
            let visit = |(at, low, later, high)| Visit {
                low: Some(Mark { at, counts: low }),
                high: Some(Mark { at: later, counts: high }),
            };
            let visits: Vec<Visit> = marks.into_iter().map(visit).collect();
            if let Ok(drift) = drift(&visits, quantum, 1.0) {
                prop_assert!(drift.low_ppb <= drift.high_ppb);
            }
        }
    }
}
