//! Findings that are denied, and those that are waived.

use super::Date;
use super::denied::{Code, Denied};
use super::format::{Policy, Waiver};
use super::sheet::{Answer, Sheet};
use crate::record::{Finding, Record};
use crate::text;

pub(super) fn ask(policy: &Policy, record: &Record, today: Date, sheet: &mut Sheet) {
    let in_force = |code: &str| policy.waive.iter().find(|waiver| waiver.finding.0 == code && today <= waiver.until);
    for denied in &policy.deny {
        let found: Vec<&Finding> = record.findings.iter().filter(|finding| denied.is_about(finding)).collect();
        let (waived, left): (Vec<&Finding>, Vec<&Finding>) =
            found.into_iter().partition(|finding| in_force(&finding.code).is_some());
        let answer = match (left.as_slice(), waived.as_slice()) {
            ([], []) if record.run.interrupted => {
                Answer::unknown("no such finding, of a run that was interrupted before it had looked for all")
            }
            ([], []) => Answer::plain(true, "none", "no such finding"),
            ([], waived) => Answer::plain(true, listed(waived), format!("waived: {}", reasons(waived, in_force))),
            (left, _) => Answer::plain(false, listed(left), titles(left)),
        };
        sheet.put(format!("deny.{denied}"), limit(denied), None, answer);
    }
    for Waiver { finding: Code(code), reason, until } in &policy.waive {
        let reason = &reason.0;
        let answer = if today <= *until {
            Answer::plain(true, format!("ends {until}"), reason.clone())
        } else {
            Answer::plain(false, format!("ended {until}"), format!("mend the finding, or renew the waiver: {reason}"))
        };
        sheet.put(format!("waive.{code}"), format!("in force on {today}"), None, answer);
    }
}

fn limit(denied: &Denied) -> String {
    match denied {
        Denied::Severity(_) => format!("no finding as severe as {denied}"),
        Denied::Code(_) => format!("no finding {denied}"),
    }
}

/// Their codes.
fn listed(findings: &[&Finding]) -> String {
    text::list(&findings.iter().map(|finding| finding.code.as_str()).collect::<Vec<_>>())
}

/// What each says.
fn titles(findings: &[&Finding]) -> String {
    findings.iter().map(|finding| format!("{}: {}", finding.code, finding.title)).collect::<Vec<_>>().join("; ")
}

fn reasons<'a>(findings: &[&Finding], waiver: impl Fn(&str) -> Option<&'a Waiver>) -> String {
    let why = |finding: &&Finding| {
        let Waiver { reason, until, .. } = waiver(&finding.code)?;
        Some(format!("{} until {until}, {}", finding.code, reason.0))
    };
    findings.iter().filter_map(why).collect::<Vec<_>>().join("; ")
}
