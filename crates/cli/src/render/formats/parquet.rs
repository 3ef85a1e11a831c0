//! Parquet is no text: `export` alone writes it, as tables of many records.

use crate::render::{Report, Style};

/// Nothing: no other command takes the format.
pub(super) fn text(_: &dyn Report, _: Style) -> String {
    String::new()
}
