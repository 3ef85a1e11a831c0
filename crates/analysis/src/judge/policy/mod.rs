//! Which of a policy's requirements a record meets: met, violated, or undecided.
//!
//! * `format` is the policy as it is written; `asked` how single requirements are, `date` its dates, `denied` its findings.
//! * `sheet` collects what each came to; `figures` holds a figure's interval against a limit.
//! * `findings`, `machine`, `clocks` and `skew` ask the record, one part of the policy each.
//! * `init` writes the policy that a record would pass.
//!
//! Nothing here knows the day: the caller says it, for waivers end.

mod asked;
mod clocks;
mod date;
mod denied;
mod figures;
mod findings;
mod format;
mod init;
mod machine;
mod sheet;
mod skew;
#[cfg(test)]
mod tests;

pub use date::Date;
pub use format::{POLICY_SCHEMA, Policy};
pub use init::init;

use crate::record::{CHECK_SCHEMA, CheckCounts, CheckReport, CheckedRecord, Decision, Record, Tool};
use sheet::Sheet;

/// Holds a record, which goes by `name`, against the policy.
///
/// Never panics, whatever the record holds: absent and non-finite figures count as not known.
pub fn check(policy: &Policy, name: &str, record: &Record, today: Date) -> CheckedRecord {
    let mut sheet = Sheet::new(policy.undecided);
    findings::ask(policy, record, today, &mut sheet);
    machine::ask(policy, record, &mut sheet);
    clocks::ask(policy, record, &mut sheet);
    skew::ask(policy, record, &mut sheet);
    let requirements = sheet.rows;
    CheckedRecord {
        record: name.into(),
        started: record.run.started.clone(),
        hostname: record.machine.hostname.clone(),
        passed: !requirements.iter().any(|row| row.fails),
        requirements,
    }
}

/// The report over all records that were checked by the policy of that name.
pub fn report(policy: &Policy, name: &str, tool: Tool, records: Vec<CheckedRecord>, today: Date) -> CheckReport {
    let mut counts = CheckCounts::default();
    for record in &records {
        counts.records_failed += u64::from(!record.passed);
        for row in &record.requirements {
            match row.outcome {
                Decision::Met => counts.met += 1,
                Decision::Violated => counts.violated += 1,
                Decision::Undecided => {
                    counts.undecided += 1;
                    counts.undecided_passed += u64::from(!row.fails);
                }
            }
        }
    }
    CheckReport {
        schema: CHECK_SCHEMA.into(),
        tool,
        policy: name.into(),
        title: policy.title.clone(),
        on: today.to_string(),
        passed: counts.records_failed == 0,
        counts,
        records,
    }
}
