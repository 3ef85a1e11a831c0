//! The survey for a page or an issue: everything, whatever the width.

use std::fmt::Write;

use clockscope_analysis::record::{Clock, Finding, Record};

use super::clock_table::{clock_table, rates};
use super::headline::headline;
use super::list::unreadable_markdown;
use super::survey::basis;
use super::table::escape;
use super::{View, verdict, word};

/// Machine, verdict, one row a clock (forced ways included), clocks not readable, findings.
pub fn survey(record: &Record) -> String {
    let plain = View::default();
    let machine = headline(&record.machine, Some(&record.run), &record.findings, plain);
    let mut out = format!("# Clocks of this machine\n\n{machine}\n## Which to use\n\n{}", verdict::markdown(record));
    let clocks: Vec<&Clock> = record.clocks.iter().collect();
    let _ = write!(out, "\n## Clocks\n\n{}", clock_table(&clocks, &record.verdict, None, plain).markdown());
    if let Some(rates) = rates(&clocks) {
        let _ = writeln!(out, "\nRate: {}.", escape(&rates));
    }
    let unavailable = record.unavailable.iter().map(|clock| (clock.id.as_str(), clock.reason.as_str()));
    out.push_str(&unreadable_markdown(unavailable));
    out.push('\n');
    out.push_str(&findings(&record.findings));
    if let Some(line) = super::skew::line(&record.skew) {
        let _ = writeln!(out, "\nCPU offset: {}.", escape(&line));
    }
    let (run, tool) = (&record.run, &record.tool);
    let _ = write!(out, "\nBy {} {} in {:.1} s; {}", tool.name, tool.version, run.wall_s, basis(run, "`"));
    out.push_str(if run.interrupted { "; interrupted before its end.\n" } else { ".\n" });
    out
}

/// The traps that show in a report, as a section; nothing where there are none.
pub fn traps(findings: &[Finding]) -> String {
    if findings.is_empty() { String::new() } else { format!("\n{}", self::findings(findings)) }
}

/// The findings as a section.
pub fn findings(findings: &[Finding]) -> String {
    let mut out = "## Findings\n\n".to_owned();
    if findings.is_empty() {
        out.push_str("None.\n");
    }
    for finding in findings {
        let _ = writeln!(
            out,
            "- **{} {}**: {}. {}\n  - Why: {}\n  - Fix: {}",
            word(finding.severity),
            finding.code,
            escape(finding.title.trim_end_matches('.')),
            escape(&finding.evidence),
            escape(&finding.why),
            escape(&finding.fix)
        );
    }
    out
}
