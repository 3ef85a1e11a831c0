//! A clock, or none, and the sentence that says why.

use crate::record::Clock;

pub(super) struct Choice {
    pub(super) id: Option<String>,
    pub(super) because: String,
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
