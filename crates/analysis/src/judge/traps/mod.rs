//! What other reports than the survey's tell of: a stopwatch's own traps, sleeps, CPUs that are taken away, threads at once.
//! Each is a function of figures, as a rule is; its code's page is in `docs/findings`.

mod claim;
mod crowds;
mod empty;
mod hidden;
#[cfg(test)]
mod made_up;
mod sleeps;
mod taken;
mod wall;

use crate::record::{
    Finding, InterruptionReport, RuntimesReport, SampledClock, Samples, SpanReport, ThreadsReport, TimerReport,
};

use super::rules::{Draft, Tells};

/// A trap: its code, its page, and what it tells of.
pub(super) struct Trap {
    pub(super) code: &'static str,
    pub(super) page: &'static str,
    tells: Tells,
}

impl Trap {
    fn found(&self, draft: Option<Draft>) -> Option<Finding> {
        draft.map(|draft| draft.told(self.code, self.tells))
    }
}

/// Makes the traps of their codes, with the list of all.
macro_rules! traps {
    ($($name:ident: $code:literal $tells:ident,)*) => {
        $(const $name: Trap = Trap {
            code: $code,
            page: include_str!(concat!("../../../../../docs/findings/", $code, ".md")),
            tells: Tells::$tells,
        };)*

        /// Every trap.
        pub(super) const TRAPS: &[Trap] = &[$($name,)*];
    };
}

traps! {
    // How long a reader stood still is this run's luck.
    NEGATIVE: "CS024" Run,
    EMPTY: "CS025" Run,
    CLAIM: "CS026" Machine,
    HIDDEN: "CS027" Machine,
    WALL: "CS028" Machine,
    EARLY: "CS029" Machine,
    TICK: "CS030" Machine,
    THROTTLED: "CS031" Machine,
    // How much a host takes is this run's luck, and so is what nobody could explain.
    STOLEN: "CS032" Run,
    BACK: "CS033" Machine,
    UNEXPLAINED: "CS034" Run,
}

/// What the clocks of the language runtimes show.
pub fn judge_runtimes(report: &RuntimesReport) -> Vec<Finding> {
    let named = report.runtimes.iter().flat_map(|found| {
        let name = |clock: &SampledClock| format!("{} {}", found.title, clock.label);
        found.clocks.iter().map(move |clock| (name(&clock.sampled), &clock.sampled))
    });
    let found = [
        WALL.found(wall::apply(&report.runtimes)),
        CLAIM.found(claim::apply(named)),
        HIDDEN.found(hidden::apply(&report.runtimes)),
    ];
    found.into_iter().flatten().collect()
}

/// What samples of other programs show.
pub fn judge_samples(samples: &Samples) -> Vec<Finding> {
    let named = samples.clocks.iter().map(|clock| (clock.label.clone(), clock));
    CLAIM.found(claim::apply(named)).into_iter().collect()
}

/// What starts and stops with nothing in between show.
pub fn judge_span(report: &SpanReport) -> Vec<Finding> {
    let found = [EMPTY.found(empty::elapsed(report)), NEGATIVE.found(empty::negative(report))];
    found.into_iter().flatten().collect()
}

/// What sleeps and timers show.
pub fn judge_timers(report: &TimerReport) -> Vec<Finding> {
    let found = [EARLY.found(sleeps::early(report)), TICK.found(sleeps::coarse(report))];
    found.into_iter().flatten().collect()
}

/// What a watch of CPUs shows.
pub fn judge_interruptions(report: &InterruptionReport) -> Vec<Finding> {
    let found = [THROTTLED.found(taken::throttled(report)), STOLEN.found(taken::stolen(report))];
    found.into_iter().flatten().collect()
}

/// What threads show that read at once.
pub fn judge_threads(report: &ThreadsReport) -> Vec<Finding> {
    let found = [BACK.found(crowds::went_back(report)), UNEXPLAINED.found(crowds::unexplained(report))];
    found.into_iter().flatten().collect()
}
