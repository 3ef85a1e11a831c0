//! Who watches a run.

use clockscope_analysis::analyze::Analysis;
use clockscope_analysis::record::Clock;
use clockscope_analysis::trace::{Header, Observation};

/// Who watches a run as it goes on. Called between measured windows only.
pub trait Observer {
    /// `done` of 1.0 is over; `phase` is what is being done.
    fn progress(&mut self, _done: f64, _phase: &str) {}
    /// Whether what is known by then, so many ns since the start, is wanted: reckoning that takes time from the measuring.
    fn wants_so_far(&self, _elapsed_ns: f64) -> bool {
        false
    }
    /// What is known so far.
    fn so_far(&mut self, _analysis: &Analysis, _elapsed_ns: f64) {}
    /// All of a survey's phases are over for that clock; single reads that follow may still change its counts.
    fn clock(&mut self, _clock: &Clock) {}
    /// A look at clocks that are watched is over.
    fn looked(&mut self, _analysis: &Analysis) {}
    /// The run begins.
    fn begin(&mut self, _header: &Header) {}
    /// Something was seen.
    fn observed(&mut self, _observation: &Observation) {}
    /// Whether to stop now and make the most of what there is.
    fn stop(&self) -> bool {
        false
    }
}

/// Nobody watches.
impl Observer for () {}
