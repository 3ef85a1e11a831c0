//! The whole result, as docs/record.schema.json and its neighbours describe it.

use serde::Serialize;

use crate::render::{Shown, Style};

pub(super) fn text(shown: Shown, _: Style) -> String {
    match shown {
        Shown::Record(record) => json(record),
        Shown::Findings(record) => json(&record.findings),
        Shown::Skew(report) => json(report),
        Shown::Deltas(counted) => json(counted),
        Shown::List(clocks) => json(&clocks),
        Shown::Sweep(swept) => json(swept),
    }
}

/// Indented, with a line end. Writing a result to memory can't fail, so neither does this.
fn json<T: Serialize>(value: &T) -> String {
    let text = serde_json::to_string_pretty(value);
    debug_assert!(text.is_ok());
    text.unwrap_or_default() + "\n"
}
