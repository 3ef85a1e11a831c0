//! The whole result, as docs/record.schema.json and its neighbours describe it.

use serde::Serialize;

use crate::render::{Shown, Style};

pub(super) const ENDINGS: [&str; 1] = ["json"];

pub(super) fn text(shown: Shown, _: Style) -> Result<String, String> {
    match shown {
        Shown::Record(record) => json(record),
        Shown::Findings(record) => json(&record.findings),
        Shown::Skew(report) => json(report),
        Shown::Deltas(counted) => json(counted),
        Shown::List(clocks) => json(&clocks),
        Shown::Sweep(swept) => json(swept),
    }
}

/// Indented, with a line end.
fn json<T: Serialize>(value: &T) -> Result<String, String> {
    let text = serde_json::to_string_pretty(value).map_err(|error| format!("can't write JSON: {error}"))?;
    Ok(text + "\n")
}
