//! What the scenarios gave, as a table and as the failures one by one.

use std::fmt::Write as _;

use super::run::Outcome;
use crate::bench::table::markdown;

/// The lines that tell of one scenario as it ends.
pub(crate) fn told(outcome: &Outcome) -> String {
    let state = if outcome.holds() { "ok" } else { "FAILED" };
    // Writing to a String can't fail.
    let mut text = format!("{}: {state} ({:.1} s)\n", outcome.name, outcome.seconds);
    if let Some(failure) = &outcome.failure {
        let _ = writeln!(text, "  {failure}");
    }
    for checked in outcome.checked.iter().filter(|checked| !checked.holds) {
        let _ = writeln!(text, "  expected {}\n  found    {}", checked.expected, checked.found);
    }
    text
}

/// One row an expectation.
pub(crate) fn summary(outcomes: &[Outcome]) -> String {
    let mut rows = Vec::new();
    for outcome in outcomes {
        let seconds = format!("{:.1}", outcome.seconds);
        let mut lead = [outcome.name.clone(), seconds];
        let failure = outcome.failure.iter().map(|failure| {
            let first = failure.lines().next().unwrap_or_default();
            ("a record".to_owned(), first.to_owned(), false)
        });
        let checked = outcome.checked.iter().map(|one| (one.expected.clone(), one.found.clone(), one.holds));
        for (expected, found, holds) in failure.chain(checked) {
            let [name, seconds] = std::mem::take(&mut lead);
            let ok = if holds { "yes" } else { "NO" }.to_owned();
            rows.push(vec![name, escaped(&expected), escaped(&found), ok, seconds]);
        }
    }
    markdown(&["scenario", "expected", "found", "ok", "seconds"], &rows)
}

fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
