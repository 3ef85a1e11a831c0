//! What a policy came to: a row a requirement, and of those that are not met the reason.

use std::fmt::Write;

use clockscope_analysis::record::{CheckCounts, CheckReport, CheckedRecord, Decision, Requirement};
use clockscope_analysis::text::{count, grouped};

use super::prose::{faint, hanging, heading, styled};
use super::table::{Align, Cell, Table, escape};
use super::{Report, Style, View, csv, word};

/// The columns of a requirement, behind those of its record.
const COLUMNS: &str = "requirement found value low high limit outcome fails why";

impl Report for CheckReport {
    fn table(&self, style: Style) -> String {
        let view = style.view;
        let colour = if self.passed { view.strong() } else { view.bad() };
        let mut out = styled(colour, &hanging(view, "", 2, &verdict(self)));
        out.extend(self.title.as_deref().map(|title| faint(view, &plain(title))));
        let is_one = self.records.len() == 1;
        for record in self.records.iter().filter(|record| is_one || style.all || !record.passed) {
            out += &heading(view, &plain(&of_record(record)));
            out += &rows(record, is_one || style.all, view);
        }
        out
    }

    fn markdown(&self, _: Style) -> String {
        let mut out = format!("# Check\n\n{}\n", escape(&plain(&verdict(self))));
        for record in &self.records {
            let _ = writeln!(out, "\n## {}\n", escape(&plain(&of_record(record))));
            let table = table(record.requirements.iter().collect(), View::default());
            out += &table.column("Why", "", Align::Left, 3, |row| plain(&row.why)).markdown();
        }
        out
    }

    fn csv(&self, _: Style) -> String {
        let head = ["policy", "record", "started", "hostname"].into_iter().chain(COLUMNS.split(' '));
        let mut out = csv::line(head);
        for record in &self.records {
            let text = |text: &Option<String>| text.clone().unwrap_or_default();
            let of = [self.policy.clone(), record.record.clone(), text(&record.started), text(&record.hostname)];
            for row in &record.requirements {
                out += &csv::line(of.iter().cloned().chain(csv::row(row, COLUMNS)));
            }
        }
        out
    }

    fn check(&self) -> Option<&CheckReport> {
        Some(self)
    }
}

/// `low-latency: failed. 10 requirements met, 1 violated, 2 undecided`.
pub(super) fn verdict(report: &CheckReport) -> String {
    let CheckCounts { records_failed, met, violated, undecided, undecided_passed } = report.counts;
    let word = if report.passed { "passed" } else { "failed" };
    let of = match report.records.len() as u64 {
        1 => String::new(),
        all if report.passed => format!(" by all of {}", count(all, "record")),
        all => format!(" by {} of {}", grouped(records_failed), count(all, "record")),
    };
    let met = count(met, "requirement");
    let mut out = format!(
        "{}: {word}{of}. {met} met, {} violated, {} undecided",
        plain(&report.policy),
        grouped(violated),
        grouped(undecided)
    );
    if undecided_passed > 0 {
        let _ = write!(out, ", of which {} may be", grouped(undecided_passed));
    }
    out
}

/// `fleet/a.json (host, 2026-01-01T00:00:00Z)`.
fn of_record(record: &CheckedRecord) -> String {
    let known = [record.hostname.as_deref(), record.started.as_deref()];
    let known: Vec<&str> = known.into_iter().flatten().collect();
    if known.is_empty() { record.record.clone() } else { format!("{} ({})", record.record, known.join(", ")) }
}

fn rows(record: &CheckedRecord, all: bool, view: View) -> String {
    let shown = record.requirements.iter().filter(|row| all || row.fails).collect();
    let mut out = table(shown, view).shown(view);
    for row in record.requirements.iter().filter(|row| row.fails || (all && row.outcome == Decision::Undecided)) {
        out += &hanging(view, "", 2, &format!("{}: {}", plain(&row.requirement), sentence(&plain(&row.why))));
    }
    out
}

/// With a full stop, where there is no other end.
fn sentence(text: &str) -> String {
    if text.ends_with(['.', '?']) { text.to_owned() } else { format!("{text}.") }
}

fn table(rows: Vec<&Requirement>, view: View) -> Table<&Requirement> {
    let left = Align::Left;
    let outcome = |row: &Requirement| Cell {
        text: said(row).into(),
        style: if row.fails { view.bad() } else { anstyle::Style::new() },
    };
    Table::of(rows)
        .column("Requirement", "", left, 0, |row| plain(&row.requirement))
        .column("Decision", "", left, 1, outcome)
        .column("Found", "", left, 2, |row| row.found.as_deref().map(plain))
        .column("Limit", "", left, 3, |row| plain(&row.limit))
        .giving_way_to(1)
}

/// The outcome, and whether the policy lets it be.
fn said(row: &Requirement) -> &'static str {
    match (row.outcome, row.fails) {
        (Decision::Met, _) => "met",
        (Decision::Violated, _) => "violated",
        (Decision::Undecided, true) => "undecided",
        (Decision::Undecided, false) => "undecided, may be",
    }
}

/// Why a requirement is not met, in one line: for reports of other programs.
pub(super) fn reason(row: &Requirement) -> String {
    let found = row.found.as_deref().unwrap_or("nothing");
    plain(&format!("{}: found {found}, wanted {}: {}", word(row.outcome), row.limit, row.why))
}

/// On one line, and without what a terminal or XML would not take: records hold what anybody wrote.
pub(super) fn plain(text: &str) -> String {
    let is_odd = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    text.chars().map(|c| if is_odd(c) { ' ' } else { c }).collect()
}
