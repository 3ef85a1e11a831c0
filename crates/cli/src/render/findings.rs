//! The verdict and the findings in plain words.

use std::fmt::Write;

use clockscope_analysis::record::{Finding, Severity, Verdict};
use clockscope_analysis::text;

use super::prose::{faint, hanging, heading};
use super::{View, word};

/// Width of the verdict's first two columns: `cheap stamps  `, and the longest ordinary id.
const USE_WIDTH: usize = 14;

/// From this width on the reason stands beside the clock, else below it.
const BESIDE_FROM: usize = 72;

/// Which clock to use for what, and why.
pub fn verdict(verdict: &Verdict, view: View) -> String {
    let because = &verdict.because;
    let uses = [
        ("intervals", &verdict.intervals, &because.intervals),
        ("wall time", &verdict.wall, &because.wall),
        ("cheap stamps", &verdict.cheap, &because.cheap),
    ];
    let id_width = uses.iter().filter_map(|(_, id, _)| id.as_ref()).map(|id| id.chars().count()).max();
    let id_width = id_width.unwrap_or(0).max("none".len()) + 2;
    let strong = view.strong();
    let mut out = format!("{strong}Use{strong:#}\n");
    for (purpose, id, why) in uses {
        let style = if id.is_some() { view.strong() } else { view.bad() };
        let id = id.as_deref().unwrap_or("none");
        let _ = write!(out, "  {purpose:<USE_WIDTH$}{style}{id}{style:#}");
        let hang = 2 + USE_WIDTH + id_width;
        if why.trim().is_empty() {
            out.push('\n');
        } else if view.prose() >= BESIDE_FROM {
            // Of the first line's indent, what already stands there is taken away.
            out.push_str(&hanging(view, &" ".repeat(hang), hang, why)[hang - id_width + id.chars().count()..]);
        } else {
            let _ = write!(out, "\n{}", hanging(view, "    ", 4, why));
        }
    }
    out
}

/// The findings, worst first, or that there are none. `full`: also why each matters and which clocks it concerns.
pub fn findings(findings: &[Finding], full: bool, view: View) -> String {
    if findings.is_empty() {
        return "\nNothing to complain of: no rule found anything.\n".to_owned();
    }
    let mut out = heading(view, "Findings");
    for (i, finding) in findings.iter().enumerate() {
        if i > 0 && full {
            out.push('\n');
        }
        out.push_str(&one(finding, full, view));
    }
    if !full {
        let code = &findings[0].code;
        out.push_str(&faint(view, &format!("  `clockscope explain {code}` and so on tell more.")));
    }
    out
}

fn one(finding: &Finding, full: bool, view: View) -> String {
    let style = view.severity(finding.severity);
    let label = &word(finding.severity);
    let first = format!("  {label} {}: ", finding.code);
    let title = hanging(view, &first, 6, &finding.title);
    // Coloured afterwards, so that the escapes do not count as width.
    let mut out = title.replacen(label, &format!("{style}{label}{style:#}"), 1);
    let mut say = |name: &str, text: &str| {
        if !text.trim().is_empty() {
            out.push_str(&hanging(view, &format!("      {name}"), 6, text));
        }
    };
    say("", &finding.evidence);
    if full {
        say("Why: ", &finding.why);
        say("Clocks: ", &finding.clocks.join(", "));
    }
    say("Fix: ", &finding.fix);
    out
}

/// How many findings of each severity there are, on one line.
pub fn tally(findings: &[Finding]) -> String {
    let count = |wanted: Severity| {
        let count = findings.iter().filter(|finding| finding.severity == wanted).count();
        text::count(count as u64, &word(wanted))
    };
    [Severity::Error, Severity::Warning, Severity::Note].map(count).join(", ")
}
