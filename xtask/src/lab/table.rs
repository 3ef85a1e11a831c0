//! What the scenarios gave, as a table and as the failures one by one.

use std::fmt::Write as _;

use super::boot;
use super::run::Outcome;

/// The lines that tell of one scenario as it ends.
pub(crate) fn told(outcome: &Outcome) -> String {
    let state = if outcome.holds() { "ok" } else { "FAILED" };
    // Writing to a String can't fail.
    let mut text = format!("{}: {state} ({:.1} s)\n", outcome.name, outcome.seconds);
    if let Some(starts) = boot::told(outcome.starts) {
        let _ = writeln!(text, "  {starts}");
    }
    if let Some(failure) = &outcome.failure {
        let _ = writeln!(text, "  {failure}");
    }
    for checked in outcome.checked.iter().filter(|checked| !checked.holds) {
        let _ = writeln!(text, "  expected {}\n  found    {}", checked.expected, checked.found);
    }
    if !outcome.holds() && !outcome.said.is_empty() {
        let _ = writeln!(text, "  the program said: {}", outcome.said.trim_end());
    }
    text
}

/// A Markdown table, one row an expectation.
pub(crate) fn summary(outcomes: &[Outcome]) -> String {
    let mut text = String::from("| scenario | expected | found | ok | seconds |\n| --- | --- | --- | --- | ---: |\n");
    for outcome in outcomes {
        let mut lead = (outcome.name.as_str(), format!("{:.1}", outcome.seconds));
        let failure = outcome.failure.iter().map(|failure| {
            let first = failure.lines().next().unwrap_or_default();
            ("a record", first, false)
        });
        let checked = outcome.checked.iter().map(|one| (one.expected.as_str(), one.found.as_str(), one.holds));
        let starts = boot::told(outcome.starts);
        let starts = starts.iter().map(|starts| ("a guest that boots", starts.as_str(), true));
        for (expected, found, holds) in starts.chain(failure).chain(checked) {
            let (name, seconds) = std::mem::take(&mut lead);
            let ok = if holds { "yes" } else { "NO" };
            let (expected, found) = (escaped(expected), escaped(found));
            // Writing to a String can't fail.
            let _ = writeln!(text, "| {name} | {expected} | {found} | {ok} | {seconds} |");
        }
    }
    text
}

fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::checked::Checked;

    #[test]
    fn a_row_an_expectation_and_one_a_failure() {
        let one = |expected: &str, holds| Checked { expected: expected.into(), found: "a|b".into(), holds };
        let outcome = |name: &str, starts, checked, failure: Option<&str>| Outcome {
            name: name.into(),
            seconds: 2.04,
            starts,
            checked,
            failure: failure.map(str::to_owned),
            said: "it can't\n".into(),
        };
        let outcomes = [
            outcome("x", 1, vec![one("p", true), one("q", false)], None),
            outcome("y", 1, Vec::new(), Some("it hung\nconsole: …")),
            outcome("z", 2, vec![one("p", true)], None),
        ];
        let text = summary(&outcomes);
        let rows: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(
            rows,
            [
                "| x | p | a\\|b | yes | 2.0 |",
                "|  | q | a\\|b | NO |  |",
                "| y | a record | it hung | NO | 2.0 |",
                "| z | a guest that boots | started 2 times: the first did not boot, or its emulator fell asleep | yes | 2.0 |",
                "|  | p | a\\|b | yes |  |",
            ]
        );
        assert!(told(&outcomes[0]).ends_with("expected q\n  found    a|b\n  the program said: it can't\n"));
        assert!(told(&outcomes[1]).contains("console: …"));
        assert!(told(&outcomes[2]).contains("started 2 times") && !told(&outcomes[2]).contains("it can't"));
    }
}
