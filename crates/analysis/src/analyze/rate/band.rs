//! The rates that the brackets and the quanta leave possible.
//!
//! A reading says that at some moment between the stamps around it the clock stood within a quantum of its value. So a
//! line through all of them passes below the points (before, value + quantum) and above the points (after + quantum of
//! the stamps, value). The rates of all such lines are found by the two convex hulls (Moon, Skelly and Towsley 1999).
//! Where the clock wanders or is noisier than the brackets allow, no line does, unless all points give way.

use super::pair::{Pair, Quanta};
use crate::trace::Bracketed;

/// A search is over after this many rounds; convex and piecewise linear, it takes ten.
const ROUNDS: usize = 100;

/// And where the rate is known to this, relative: a tenth of a count in an hour of 2.6 GHz.
const EXACT: f64 = 1e-14;

type Point = (f64, f64);

/// Points that lines pass between, piece by piece.
#[derive(Debug, Default)]
pub(super) struct Band {
    pieces: Vec<[Vec<Point>; 2]>,
    /// A rate to begin with.
    about: f64,
    /// Length of the longest piece.
    pub(super) length: f64,
    /// Sum of the reciprocal distances between a reading's two points.
    pub(super) density: f64,
    /// Readings beyond those that any line fits.
    pub(super) spare: f64,
}

impl Band {
    /// `None` without a piece of two readings.
    pub(super) fn of(pieces: &[Vec<Bracketed>], quanta: Quanta) -> Option<Self> {
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
    pub(super) fn need(&self, rate: f64) -> (f64, f64) {
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
    pub(super) fn best(&self) -> Option<f64> {
        let mut left = self.beyond(self.about, -1.0, |(_, slope)| slope <= 0.0)?;
        let mut right = self.beyond(self.about, 1.0, |(_, slope)| slope >= 0.0)?;
        for _ in 0..ROUNDS {
            // Where the tangents on either side meet, none is lower.
            let ((need_left, falls), (need_right, rises)) = (self.need(left), self.need(right));
            let rate = left + (need_right - need_left - rises * (right - left)) / (falls - rises);
            if rate.is_nan() || rate <= left || rate >= right {
                break;
            }
            let (need, slope) = self.need(rate);
            let lowest = need_left + falls * (rate - left);
            if slope == 0.0 || need <= lowest || right - left < EXACT * rate.abs() {
                return Some(rate);
            }
            *(if slope < 0.0 { &mut left } else { &mut right }) = rate;
        }
        Some(if self.need(left).0 < self.need(right).0 { left } else { right })
    }

    /// The farthest rate on one side whose line needs no more than `level`, by Newton's method from outside.
    pub(super) fn reach(&self, best: f64, level: f64, side: f64) -> Option<f64> {
        let mut rate = self.beyond(best, side, |(need, _)| need > level)?;
        for _ in 0..ROUNDS {
            let (need, slope) = self.need(rate);
            let next = rate - (need - level) / slope;
            if need > level && side * (rate - next) > EXACT * rate.abs() {
                rate = next;
            } else {
                break;
            }
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
