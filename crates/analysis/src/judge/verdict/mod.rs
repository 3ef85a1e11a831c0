//! The verdict: which clock for intervals, for wall time, for cheap stamps, and why, in one sentence each.
//!
//! * `intervals`, `wall` and `cheap` make a choice each.
//! * `words` says of a clock what the sentences have in common.

mod cheap;
mod intervals;
#[cfg(test)]
mod tests;
mod wall;
mod words;

use super::facts::Facts;
use super::figures::is_measured;
use crate::record::{Because, Clock, Verdict};

/// A clock and the sentence that says why, or why there is none.
type Choice<'a> = Result<(&'a Clock, String), String>;

pub(super) fn verdict(facts: &Facts) -> Verdict {
    let measured = facts.clocks.iter().any(is_measured);
    let choose = |what: &str, by: for<'a> fn(&Facts<'a>) -> Choice<'a>| {
        let none = format!("Nothing was measured, so no clock can be named for {what}.");
        let choice = if measured { by(facts) } else { Err(none) };
        choice.map_or_else(|why| (None, why), |(clock, because)| (Some(clock.id.clone()), because))
    };
    let (intervals, why_intervals) = choose("intervals", intervals::choose);
    let (wall, why_wall) = choose("wall time", wall::choose);
    let (cheap, why_cheap) = choose("timestamps", cheap::choose);
    let because = Because { intervals: why_intervals, wall: why_wall, cheap: why_cheap };
    Verdict { intervals, wall, cheap, because }
}
