//! Runs: lists of phases over one session. A phase is a file with its share of the time and its loop, and a line below;
//! the survey's own in the order of time.

mod choose;
mod compare;
mod phase;
mod run;
#[cfg(test)]
mod tests;

pub use run::{DELTAS, FREQUENCY, INTERRUPTIONS, MONITOR, Plan, SKEW, SPAN, SURVEY, THREADS, TIMERS, run};
pub use threads::MOST_THREADS;

/// Makes the survey's list of phases of their files, and names those that other runs have.
macro_rules! phases {
    ($($survey:ident,)* ; $($other:ident,)*) => {
        $(mod $survey;)*
        $(mod $other;)*

        const PHASES: &[phase::Phase] = &[$($survey::PHASE,)*];
    };
}

phases! {
    calibration,
    quantum,
    cost,
    span,
    skew,
    faults,
    slow,
    ;
    differences,
    frequency,
    interruptions,
    timers,
    threads,
    monitor,
}
