//! The stopwatch's own traps: what a program runs into that takes its clock at its word, told by the reports that measured it.
//! Each is a function of figures, as a rule is; its code's page is in `docs/findings`.

mod claim;
mod empty;
mod hidden;
#[cfg(test)]
mod made_up;
mod wall;

use crate::record::{Finding, RuntimesReport, SampledClock, Samples, SpanReport};

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
