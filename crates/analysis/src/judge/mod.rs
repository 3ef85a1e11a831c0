//! Findings and the verdict, from machine facts and characters. Pure: no clock is read and no file opened here.
//!
//! * `facts` is what a rule may ask: the machine, the run, the clocks, and look-ups in them; `figures` what one clock's
//!   figures come to.
//! * `faults` says what counts as a fault, and which are not the clock's own.
//! * `clocksource` knows the kernel's clocksources by name.
//! * `frequency` says which of the counter's frequencies is to be trusted.
//! * `rules` holds one file a rule or a small family of them, and the list of all.
//! * `traps` is what the other reports tell of: runtimes, samples, spans, timers, interruptions, threads.
//! * `verdict` chooses the clocks for intervals, wall time and cheap stamps.
//! * `runs` joins the records of several runs.
//! * `programs` says which clocks well-known programs take, and whether the evidence speaks for them.
//! * `policy` says which of a policy's requirements a record meets.
//! * `pages` hands out the page of each code, which `docs/findings` holds.

pub mod clocksource;
mod facts;
mod faults;
mod figures;
mod frequency;
#[cfg(test)]
pub(crate) mod made_up;
mod pages;
pub mod policy;
mod programs;
#[cfg(test)]
mod properties;
mod rules;
mod runs;
mod traps;
mod verdict;

use crate::record::{Clock, Finding, Machine, Run, Severity, Skew, Verdict};

pub(crate) use faults::without_changes;
pub use faults::{faults, is_faultless};
pub use frequency::judge_frequency;
pub use pages::{codes, explain};
pub use programs::{advise, clocks_of};
pub use runs::over_runs;
pub use traps::{judge_interruptions, judge_runtimes, judge_samples, judge_span, judge_threads, judge_timers};

/// Whether sources of the counter's frequency were found to disagree, which `clockscope frequency` looks into: the note of
/// CS019, whose warning is of a slew.
pub fn frequencies_disagree(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.code == "CS019" && finding.severity == Severity::Note)
}

/// Applies every rule and chooses the clocks; findings come worst first, of equals the machine's before
/// the run's, and then causes before what may come of them.
///
/// Never panics, whatever the record holds: absent, negative and non-finite figures count as not known.
pub fn judge(machine: &Machine, run: &Run, clocks: &[Clock], skew: &[Skew]) -> (Vec<Finding>, Verdict) {
    let clocks = &*faults::without_changes(run, clocks);
    let facts = facts::Facts { machine, run, clocks, skew };
    let of =
        |rule: &'static rules::Rule| (rule.apply)(&facts).into_iter().map(|draft| draft.told(rule.code, rule.tells));
    let mut findings: Vec<Finding> = rules::RULES.iter().flat_map(of).collect();
    findings.sort_by_key(|finding| (finding.severity, finding.of_run));
    (findings, verdict::verdict(&facts))
}
