//! What a phase is.

use crate::session::Session;

/// A part of a run.
pub(super) struct Phase {
    /// By which share of the run's time it is to be over.
    pub(super) until: f64,
    /// Its loop; told the end, ns since the start.
    pub(super) run: fn(&mut Session, until_ns: f64),
    /// Whether everything that is known of ticks and rates is reckoned anew after it, and all clocks are looked at.
    pub(super) settles: bool,
}
