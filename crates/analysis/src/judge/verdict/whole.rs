//! The three choices together.

use super::{cheap, intervals, wall};
use crate::judge::facts::{Facts, is_measured};
use crate::record::{Because, Clock, Verdict};

/// A clock, or none, and the sentence that says why.
pub(super) struct Choice {
    id: Option<String>,
    because: String,
}

impl Choice {
    /// This clock, for this reason.
    pub(super) fn of(clock: &Clock, because: String) -> Self {
        Self { id: Some(clock.id.clone()), because }
    }

    /// None, for this reason.
    pub(super) fn none(because: String) -> Self {
        Self { id: None, because }
    }
}

/// Chooses the clocks.
pub(in crate::judge) fn verdict(facts: &Facts) -> Verdict {
    let (intervals, wall, cheap) = if facts.clocks.iter().any(is_measured) {
        (intervals::choose(facts), wall::choose(facts), cheap::choose(facts))
    } else {
        let nothing =
            |what: &str| Choice::none(format!("Nothing was measured, so no clock can be named for {what}."));
        (nothing("intervals"), nothing("wall time"), nothing("cheap stamps"))
    };
    Verdict {
        intervals: intervals.id,
        wall: wall.id,
        cheap: cheap.id,
        because: Because { intervals: intervals.because, wall: wall.because, cheap: cheap.because },
    }
}
