//! How far the readings of a clock that wanders, or is noisier than its brackets, leave its rate open.

use super::band::Band;
use super::pair::Quanta;
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

/// What the readings leave possible.
pub(super) struct Bounds {
    /// The rates of all lines that pass, the middle as the value.
    pub(super) rates: Interval,
    /// By how much the clock's wander about a line may move a rate.
    pub(super) wander: f64,
    /// Whether one line passes through all brackets.
    pub(super) fits: bool,
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
    let spread = (0..parts)
        .map(|from| pieces.iter().map(|piece| piece.iter().skip(from).step_by(parts).copied().collect()).collect());
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
    Some(Bounds { rates, wander: ENDS * wander / band.length, fits: need <= 0.0 })
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
