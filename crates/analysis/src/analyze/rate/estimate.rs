//! The rate over all readings, with an interval that steps, wander and coarse clocks can't make too narrow.

use super::bounds::{Bounds, bounds};
use super::pair::Quanta;
use super::pieces::{Pieces, pieces};
use super::slopes::slopes;
use crate::record::Interval;
use crate::trace::Bracketed;

/// The rates that the brackets and quanta leave possible, whatever the readings' scatter says; `None` without two readings
/// apart, and where no line passes through all brackets: the clock is slewed, or noisier than they, or stepped unseen.
pub fn possible(readings: &[Bracketed], quanta: Quanta) -> Option<Interval> {
    let slack = quanta.slack()?;
    bounds(&pieces(readings, slack).readings, slack).filter(|bounds| bounds.fits).map(|bounds| bounds.rates)
}

/// Counts of the clock a count of the one that brackets it, over all readings, oldest first; `None` without two
/// readings apart. Steps of either clock don't count into it; where the rate changed it is the mean.
///
/// The interval is what the brackets and quanta leave possible: bounds, which hold more often than 95 times in 100.
/// Where the readings' own scatter says more, it is 95 % by that, within the bounds. Scatter counts only of reads that took
/// about equally long: of two that did not, each was made at another place of its bracket, which looks like a rate.
pub fn rate(readings: &[Bracketed], quanta: Quanta) -> Option<Interval> {
    let slack = quanta.slack()?;
    let Pieces { readings: pieces, alike } = pieces(readings, slack);
    let Bounds { rates, wander, .. } = bounds(&pieces, slack)?;
    let half = |by: &Interval| (by.high - by.low) / 2.0;
    let by_scatter = alike.then(|| slopes(&pieces, slack)).flatten().map(|found| {
        let half = (half(&found) * half(&found) + wander * wander).sqrt();
        Interval { low: found.value - half, high: found.value + half, ..found }
    });
    // Slopes whose median is out of bounds have an error in common that their scatter does not show.
    let credible = |found: &Interval| half(found) < half(&rates) && rates.low < found.value && found.value < rates.high;
    Some(by_scatter.filter(credible).map_or(rates, |found| Interval {
        low: found.low.max(rates.low),
        high: found.high.min(rates.high),
        ..found
    }))
}
