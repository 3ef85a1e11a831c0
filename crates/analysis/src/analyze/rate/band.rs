//! The rates that the brackets and the quanta leave possible.
//!
//! A reading says that at some moment between the stamps around it the clock stood within a quantum of its value. So a
//! line through all of them passes below the points (before, value + quantum) and above the points (after + quantum of
//! the stamps, value). The rates of all such lines are found by the two convex hulls (Moon, Skelly and Towsley 1999).
//! Where the clock wanders or is noisier than the brackets allow, no line does: then all points give way by what the
//! best line needs.

use super::estimate::Quanta;
use super::pair::Pair;
use crate::record::Interval;
use crate::trace::Bracketed;

/// The readings are looked at in so many parts: few enough for noise to leave a trace in each.
const PARTS: usize = 8;
/// Readings of a part, at least.
const FEWEST: usize = 8;
/// The true line needs more than the best one. Of a wander: nothing if it is an arc, 0.47 of it if it is one period of
/// a sine, hardly ever more than 0.7 of a random walk's. Of noise: 0.7 of what eightfold readings add to the need is
/// one and a half of the scales by which extremes of normal noise scatter (Gumbel; ln 8 = 2.1 scales).
const TRUE_LINE: f64 = 0.7;
/// Of few readings chance makes the best line fit too well: it is granted more by so much over the readings to spare.
/// Found by trial: with noise, 95 in 100 are held from 5 readings on.
const FEW: f64 = 4.0;
/// Mean distances from a line to the nearest point on one side, by which all points give way in any case: a wander
/// of that size may cut off the truth without leaving a trace.
const UNSEEN: f64 = 2.0;
/// Readings at both ends may be off by the wander, in opposite directions, over half of the time at least.
const ENDS: f64 = 4.0;
/// A search is over after this many rounds; convex and piecewise linear, it takes ten.
const ROUNDS: usize = 100;

type Point = (f64, f64);

/// What the readings leave possible.
pub(super) struct Bounds {
    /// The rates of all lines that pass, the middle as the value.
    pub(super) rates: Interval,
    /// By how much the clock's wander about a line may move a rate.
    pub(super) wander: f64,
}

/// The bounds of all pieces together; `None` without a piece of two readings.
pub(super) fn bounds(pieces: &[Vec<Bracketed>], quanta: Quanta) -> Option<Bounds> {
    let band = Band::of(pieces, quanta)?;
    let best = band.best()?;
    let (need, nearest) = (band.need(best).0, 1.0 / band.density);
    let all: usize = pieces.iter().map(Vec::len).sum();
    let length = (all / PARTS).max(FEWEST);
    let parts = (all / length).max(1);
    // There are as many readings in every eighth one as in an eighth of the run: the same noise, with all the wander.
    let spread = (0..parts).map(|from| {
        pieces.iter().map(|piece| piece.iter().skip(from).step_by(parts).copied().collect()).collect()
    });
    let within = pieces.iter().flat_map(|piece| piece.chunks(length)).filter(|part| part.len() >= FEWEST);
    let spread = mean_need(spread, quanta);
    let within = mean_need(within.map(|part| vec![part.to_vec()]), quanta);
    let wander = f64::max(0.0, spread - within);
    // Of readings that are spread evenly over their heights, more come nearer to the line by so much.
    let noise = f64::max(0.0, need - spread - (parts - 1) as f64 * nearest);
    let granted = f64::max(0.0, need + TRUE_LINE * noise) * (1.0 + FEW / band.spare.max(1.0));
    let level = granted + TRUE_LINE * wander + UNSEEN * nearest;
    let (low, high) = (band.reach(best, level, -1.0)?, band.reach(best, level, 1.0)?);
    let rates = Interval { value: f64::midpoint(low, high), low, high };
    Some(Bounds { rates, wander: ENDS * wander / band.length })
}

/// The mean of what the best lines through each of these need, weighted by their readings; NaN where there is none.
fn mean_need(sets: impl Iterator<Item = Vec<Vec<Bracketed>>>, quanta: Quanta) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for set in sets {
        if let Some(need) = Band::of(&set, quanta).and_then(|band| Some(band.need(band.best()?).0)) {
            let weight = set.iter().map(Vec::len).sum::<usize>() as f64;
            (sum, weights) = (sum + weight * need, weights + weight);
        }
    }
    sum / weights
}

/// Points that lines pass between, piece by piece.
#[derive(Debug, Default)]
struct Band {
    pieces: Vec<[Vec<Point>; 2]>,
    /// A rate to begin with, and the length of the longest piece.
    about: f64,
    length: f64,
    /// Sum of the reciprocal heights of the gates, and how many of them there are beyond what a line needs.
    density: f64,
    spare: f64,
}

impl Band {
    /// `None` without a piece of two readings.
    fn of(pieces: &[Vec<Bracketed>], quanta: Quanta) -> Option<Self> {
        let mut band = Self { spare: -1.0, ..Self::default() };
        for piece in pieces {
            let (Some(first), Some(last)) = (piece.first(), piece.last()) else { continue };
            let Some(whole) = Pair::of(*first, *last, quanta.by) else { continue };
            if whole.apart > band.length {
                (band.length, band.about) = (whole.apart, whole.slope());
            }
            let since = |count: u64, origin: u64| count.wrapping_sub(origin) as i64 as f64;
            let (mut above, mut below) = (Vec::new(), Vec::new());
            for reading in piece {
                let value = since(reading.value, first.value);
                push(&mut above, (since(reading.before, first.before), value + quanta.clock), -1.0);
                push(&mut below, (since(reading.after, first.before) + quanta.by, value), 1.0);
            }
            band.spare += piece.len() as f64 - 1.0;
            band.pieces.push([above, below]);
        }
        for reading in pieces.iter().flatten() {
            let height = band.about.abs() * (reading.width() as f64 + quanta.by) + quanta.clock;
            band.density += 1.0 / height;
        }
        (band.length > 0.0).then_some(band)
    }

    /// How far all points have to give way for a line of this rate, negative where there is room; and the derivative.
    fn need(&self, rate: f64) -> (f64, f64) {
        let mut most = (f64::NEG_INFINITY, 0.0);
        for [above, below] in &self.pieces {
            let level = |(x, y): &Point| (y - rate * x, *x);
            let lowest = above.iter().map(level).min_by(|a, b| a.0.total_cmp(&b.0));
            let highest = below.iter().map(level).max_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((low, high)) = lowest.zip(highest)
                && (high.0 - low.0) / 2.0 > most.0
            {
                most = ((high.0 - low.0) / 2.0, (low.1 - high.1) / 2.0);
            }
        }
        most
    }

    /// A rate on this side of the best one.
    fn beyond(&self, from: f64, side: f64, is_there: impl Fn((f64, f64)) -> bool) -> Option<f64> {
        let mut step = (1.0 + self.about.abs() * self.length) * 1e-6 / self.length;
        for _ in 0..ROUNDS {
            let rate = from + side * step;
            if is_there(self.need(rate)) {
                return Some(rate);
            }
            step *= 4.0;
        }
        None
    }

    /// The rate whose line needs least.
    fn best(&self) -> Option<f64> {
        let mut left = self.beyond(self.about, -1.0, |(_, slope)| slope <= 0.0)?;
        let mut right = self.beyond(self.about, 1.0, |(_, slope)| slope >= 0.0)?;
        for _ in 0..ROUNDS {
            // Where the tangents on either side meet, none is lower.
            let ((need_left, falls), (need_right, rises)) = (self.need(left), self.need(right));
            let rate = left + (need_right - need_left - rises * (right - left)) / (falls - rises);
            if !(rate > left && rate < right) {
                break;
            }
            let (need, slope) = self.need(rate);
            if slope == 0.0 || need <= need_left + falls * (rate - left) {
                return Some(rate);
            }
            *(if slope < 0.0 { &mut left } else { &mut right }) = rate;
        }
        Some(if self.need(left).0 < self.need(right).0 { left } else { right })
    }

    /// The farthest rate on one side whose line needs no more than `level`, by Newton's method from outside.
    fn reach(&self, best: f64, level: f64, side: f64) -> Option<f64> {
        let mut rate = self.beyond(best, side, |(need, _)| need > level)?;
        for _ in 0..ROUNDS {
            let (need, slope) = self.need(rate);
            let next = rate - (need - level) / slope;
            if need <= level || !(side * (next - rate) < 0.0) {
                break;
            }
            rate = next;
        }
        Some(rate)
    }
}

/// Adds a point to a hull: a lower one with `side` −1, an upper one with 1 (Andrew's monotone chain). Points come with
/// their x rising.
fn push(hull: &mut Vec<Point>, point: Point, side: f64) {
    while let [.., a, b] = hull[..]
        && side * ((b.0 - a.0) * (point.1 - a.1) - (b.1 - a.1) * (point.0 - a.0)) >= 0.0
    {
        hull.pop();
    }
    hull.push(point);
}
