//! Policies on records whose truth is known.

mod facts;
mod figures;
mod writing;

use super::{Date, Policy, check};
use crate::judge::made_up::Case;
use crate::record::{CheckedRecord, Decision, Record, Requirement};

/// The record of a made-up machine.
fn record(case: Case) -> Record {
    let (findings, verdict) = crate::judge::judge(&case.machine, &case.run, &case.clocks, &case.skew);
    let Case { machine, run, clocks, skew } = case;
    Record { schema: crate::record::SCHEMA.into(), machine, run, clocks, skew, findings, verdict, ..Record::default() }
}

/// The policy that asks this.
#[track_caller]
fn policy(asks: &str) -> Policy {
    let policy: Policy = toml::from_str(&format!("schema = \"clockscope-policy/1\"\n{asks}")).expect("a policy");
    policy.fault().expect("it asks for something");
    policy
}

fn on(day: &str) -> Date {
    Date::of(day).expect("a day")
}

#[track_caller]
fn checked(asks: &str, case: Case) -> CheckedRecord {
    check(&policy(asks), "made-up", &record(case), on("2026-06-15"))
}

/// The one row that the policy has.
#[track_caller]
fn row(asks: &str, case: Case) -> Requirement {
    let rows = checked(asks, case).requirements;
    let [row] = &rows[..] else { panic!("not one row: {rows:#?}") };
    row.clone()
}

/// Checks how the one requirement comes out, and that the row says these words.
#[track_caller]
fn comes(asks: &str, case: Case, outcome: Decision, words: &[&str]) {
    let row = row(asks, case);
    assert_eq!(row.outcome, outcome, "{row:#?}");
    let said = format!("{} | {} | {} | {}", row.requirement, row.found.unwrap_or_default(), row.limit, row.why);
    crate::judge::made_up::says(&said, words);
}
