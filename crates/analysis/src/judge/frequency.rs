//! Which of the counter's frequencies is to be trusted, and what is to be said of the others.

mod remarks;
#[cfg(test)]
mod tests;
mod trust;

use super::judge;
use crate::record::{Clock, FrequencyReport, Machine, Run};

/// Rules that bear on a frequency: an unsteady counter, nobody who knows the time, a kernel that works with another one, another
/// clocksource meanwhile.
const RULES: [&str; 4] = ["CS003", "CS009", "CS019", "CS020"];

/// Puts the frequency to trust, the cut ones, remarks and findings into the report.
pub fn judge_frequency(report: &mut FrequencyReport, machine: &Machine, run: &Run, clocks: &[Clock]) {
    let (findings, _) = judge(machine, run, clocks, &[]);
    report.findings = findings.into_iter().filter(|finding| RULES.contains(&finding.code.as_str())).collect();
    report.trusted = trust::trusted(report);
    remarks::cut(report);
    report.remarks = remarks::remarks(report, machine);
}
