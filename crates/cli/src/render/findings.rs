//! The findings in plain words.

use clockscope_analysis::record::{Finding, Severity};
use clockscope_analysis::text;

use super::prose::{faint, hanging};
use super::{View, word};

/// The findings, worst first, or that there are none: errors and warnings with what was seen and how to mend it, and, with
/// `why`, why each matters; of notes the titles. `all`: notes too in full, and those that hold on every such machine.
pub fn findings(findings: &[Finding], why: bool, all: bool, view: View) -> String {
    if findings.is_empty() {
        return "\nNothing to complain of: no rule found anything.\n".to_owned();
    }
    let is_full = |finding: &Finding| all || finding.severity != Severity::Note;
    let mut out = String::new();
    for finding in findings.iter().filter(|finding| is_full(finding)) {
        out.push('\n');
        out.push_str(&title(finding, view));
        let mut say = |name: &str, text: &str| {
            if !text.trim().is_empty() {
                out.push_str(&hanging(view, &format!("  {name}"), 2, text));
            }
        };
        say("", &finding.evidence);
        if why {
            say("Why: ", &finding.why);
        }
        if all {
            say("Clocks: ", &finding.clocks.join(", "));
        }
        say("Fix: ", &finding.fix);
    }
    let (usual, notes): (Vec<&Finding>, Vec<&Finding>) =
        findings.iter().filter(|finding| !is_full(finding)).partition(|finding| finding.usual);
    if !notes.is_empty() {
        out.push('\n');
        out.extend(notes.iter().map(|finding| title(finding, view)));
    }
    let more = match usual.len() {
        0 => String::new(),
        n => format!("{}: clockscope doctor --all; ", text::count(n as u64, "more note")),
    };
    let more = format!("{more}more on each: clockscope explain {}", findings[0].code);
    out.push('\n');
    out.push_str(&faint(view, &more));
    out
}

/// The traps that show in a report, in the same words; nothing where there are none.
pub fn traps(findings: &[Finding], all: bool, view: View) -> String {
    if findings.is_empty() { String::new() } else { self::findings(findings, false, all, view) }
}

/// `warning CS009: The wall clock is not synchronised`.
fn title(finding: &Finding, view: View) -> String {
    let style = view.severity(finding.severity);
    let label = &word(finding.severity);
    let title = hanging(view, &format!("{label} {}: ", finding.code), 2, &finding.title);
    // Coloured afterwards, so that the escapes do not count as width.
    title.replacen(label, &format!("{style}{label}{style:#}"), 1)
}

/// How many findings of each severity there are: `1 warning, 2 notes`.
pub fn tally(findings: &[Finding]) -> String {
    let count = |wanted: Severity| {
        let count = findings.iter().filter(|finding| finding.severity == wanted).count();
        (count > 0).then(|| text::count(count as u64, &word(wanted)))
    };
    let counts: Vec<String> =
        [Severity::Error, Severity::Warning, Severity::Note].into_iter().filter_map(count).collect();
    if counts.is_empty() { "no findings".to_owned() } else { counts.join(", ") }
}
