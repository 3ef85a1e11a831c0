//! The three choices together.

use super::choice::Choice;
use super::{cheap, intervals, wall};
use crate::judge::facts::Facts;
use crate::judge::figures::is_measured;
use crate::record::{Because, Verdict};

/// Chooses the clocks.
pub(in crate::judge) fn verdict(facts: &Facts) -> Verdict {
    let measured = facts.clocks.iter().any(is_measured);
    let choose = |what: &str, by: fn(&Facts) -> Choice| {
        if measured {
            return by(facts);
        }
        Choice::none(format!("Nothing was measured, so no clock can be named for {what}."))
    };
    let intervals = choose("intervals", intervals::choose);
    let wall = choose("wall time", wall::choose);
    let cheap = choose("cheap stamps", cheap::choose);
    Verdict {
        intervals: intervals.id,
        wall: wall.id,
        cheap: cheap.id,
        because: Because { intervals: intervals.because, wall: wall.because, cheap: cheap.because },
    }
}
