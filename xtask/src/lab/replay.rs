//! The record that a guest's trace gives here, beside the one that the guest made.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::checked::{Checked, around};
use crate::shell;

/// What must be equal, byte for byte. The rest of a record tells of the run: when, where, for how long.
const PARTS: [&str; 3] = ["clocks", "findings", "verdict"];

/// Makes the record anew from the trace, by this machine's own build of the program, and keeps it in `file`.
pub(crate) fn check(record: &[u8], trace: &Path, file: &Path) -> Result<Vec<Checked>> {
    let mut program = Command::new(shell::release_program());
    program.arg("analyze").arg(trace).args(["--format", "json"]);
    let replayed = shell::output(&mut program)?;
    fs::write(file, &replayed).with_context(|| format!("can't write {}", file.display()))?;
    let record = std::str::from_utf8(record).context("the record is not UTF-8")?;
    let bytes = fs::metadata(trace).with_context(|| format!("can't read {}", trace.display()))?.len();
    Ok(compare(record, &replayed, bytes))
}

fn compare(record: &str, replayed: &str, trace_bytes: u64) -> Vec<Checked> {
    let one = |name: &&str| {
        let difference = first_difference(&part(record, name), &part(replayed, name));
        Checked {
            expected: format!("{name}, made anew from the trace: equal"),
            holds: difference.is_none(),
            found: difference.unwrap_or_else(|| format!("equal; the trace has {trace_bytes} bytes")),
        }
    };
    PARTS.iter().map(one).collect()
}

/// The lines of a record that hold one of its fields: the one with its name and those farther in. The numbers stand there
/// as they were written, which no parser would leave so.
fn part<'a>(record: &'a str, name: &str) -> Vec<&'a str> {
    let head = format!("  \"{name}\":");
    let mut lines = record.lines().skip_while(|line| !line.starts_with(&head)).peekable();
    let mut found: Vec<&str> = lines.next().into_iter().collect();
    found.extend(lines.take_while(|line| !line.starts_with("  \"") && *line != "}"));
    if let Some(last) = found.last_mut() {
        *last = last.trim_end_matches(','); // one stands there unless the field is the last one
    }
    found
}

/// The first place where two parts differ, as each has it. What is in neither is a difference too.
fn first_difference(one: &[&str], other: &[&str]) -> Option<String> {
    if one.is_empty() && other.is_empty() {
        return Some("neither record has it".into());
    }
    let longest = one.len().max(other.len());
    let line = (0..longest).find(|line| one.get(*line) != other.get(*line))?;
    let shown = |part: &[&str]| part.get(line).map_or_else(|| "nothing".into(), |line| around(line.trim(), 0));
    Some(format!("line {}: {} in the guest, {} here", line + 1, shown(one), shown(other)))
}

#[cfg(test)]
mod tests {
    use super::compare;

    const RECORD: &str = "{\n  \"schema\": \"x\",\n  \"clocks\": [\n    {\n      \"q\": 10.014932712286216\n    }\n  ],\n  \
                          \"findings\": [],\n  \"verdict\": {\n    \"intervals\": \"tsc\"\n  }\n}\n";

    fn holds(replayed: &str) -> [bool; 3] {
        let checked = compare(RECORD, replayed, 7);
        [0, 1, 2].map(|at| checked[at].holds)
    }

    #[test]
    fn each_part_is_compared_as_it_is_written() {
        assert_eq!(holds(RECORD), [true; 3]);
        assert_eq!(holds(&RECORD.replace("\"x\"", "\"another run\"")), [true; 3]);
        assert_eq!(holds(&RECORD.replace("286216", "286217")), [false, true, true]);
        assert_eq!(holds(&RECORD.replace("\"findings\": []", "\"findings\": [1]")), [true, false, true]);
        assert_eq!(holds(&RECORD.replace("\"tsc\"", "\"tscp\"")), [true, true, false]);
        assert_eq!(holds("{}"), [false; 3]);
        assert_eq!(holds(&RECORD.replace("\n}\n", ",\n  \"more\": 1\n}\n")), [true; 3]);
        let found = &compare(RECORD, &RECORD.replace("\"tsc\"", "\"tscp\""), 7)[2].found;
        assert_eq!(found, "line 2: \"intervals\": \"tsc\" in the guest, \"intervals\": \"tscp\" here");
        assert!(compare("{}", "{}", 0).iter().all(|one| !one.holds), "a record without them is none");
    }
}
