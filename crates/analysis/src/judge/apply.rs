//! Every rule and the verdict over one survey.

use super::facts::Facts;
use super::faults::without_changes;
use super::rules::RULES;
use super::verdict::verdict;
use crate::record::{Clock, Finding, Machine, Run, Skew, Verdict};

/// Applies every rule and chooses the clocks; findings come worst first, then by code.
///
/// Never panics, whatever the record holds: absent, negative and non-finite figures count as not known.
pub fn judge(machine: &Machine, run: &Run, clocks: &[Clock], skew: &[Skew]) -> (Vec<Finding>, Verdict) {
    let clocks = &*without_changes(run, clocks);
    let facts = Facts { machine, run, clocks, skew };
    let mut findings: Vec<Finding> = RULES
        .iter()
        .flat_map(|rule| (rule.apply)(&facts).into_iter().map(|draft| draft.with_code(rule.code)))
        .collect();
    findings.sort_by(|a, b| (a.severity, &a.code).cmp(&(b.severity, &b.code)));
    (findings, verdict(&facts))
}
