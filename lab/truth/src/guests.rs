//! The guests' part: what the lab's last run expected and found, as it wrote it down.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::report::Part;

/// The file that a run of the lab leaves beside its records: its table in Markdown.
const SUMMARY: &str = "summary.md";
/// What the lab puts into the column of an expectation that does not hold.
const BROKEN: &str = "| NO |";

/// The lab's own table; without one, a line that says so.
pub(crate) fn table(folder: &Path) -> Result<Vec<Part>> {
    let mut part = Part::new("Guests", &[]);
    let file = folder.join(SUMMARY);
    if !file.is_file() {
        part.notes.push("No guests were run.".into());
        return Ok(vec![part]);
    }
    let text = fs::read_to_string(&file).with_context(|| format!("can't read {}", file.display()))?;
    part.wrong.extend(text.lines().filter(|line| line.contains(BROKEN)).map(str::to_owned));
    part.notes.push(text.trim().to_owned());
    Ok(vec![part])
}
