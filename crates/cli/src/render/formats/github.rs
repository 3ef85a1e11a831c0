//! Commands of a GitHub workflow, which shows them as annotations.

use std::fmt::Write;

use clockscope_analysis::record::{CheckReport, CheckedRecord, Decision, Requirement};

use crate::render::check::{reason, verdict};
use crate::render::{Report, Style};

/// Nothing of what is no check: no other command takes the format.
pub(super) fn text(shown: &dyn Report, _: Style) -> String {
    shown.check().map_or_else(String::new, commands)
}

/// An error a requirement that fails, a notice of one that is undecided and may be; at the end what it came to.
fn commands(report: &CheckReport) -> String {
    let mut out = String::new();
    for record in &report.records {
        for row in record.requirements.iter().filter(|row| row.outcome != Decision::Met) {
            let level = if row.fails { "error" } else { "notice" };
            let _ = writeln!(out, "::{level} title={}::{}", property(&title(record, row)), data(&reason(row)));
        }
    }
    let level = if report.passed { "notice" } else { "error" };
    let _ = writeln!(out, "::{level} title=clockscope check::{}", data(&verdict(report)));
    out
}

fn title(record: &CheckedRecord, row: &Requirement) -> String {
    format!("{} on {}", row.requirement, record.record)
}

/// What stands behind the second `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// What stands before it, where colons and commas mean something.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_written_can_begin_another_command() {
        assert_eq!(data("100 %\r\n::error::a:b,c"), "100 %25%0D%0A::error::a:b,c");
        assert_eq!(property("100 %\r\n::error::a:b,c"), "100 %25%0D%0A%3A%3Aerror%3A%3Aa%3Ab%2Cc");
    }
}
