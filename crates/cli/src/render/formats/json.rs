//! The whole result, as docs/record.schema.json and its neighbours describe it.

use crate::render::{Report, Style};

/// Indented.
pub(super) fn text(shown: &dyn Report, _: Style) -> String {
    ended(serde_json::to_string_pretty(shown))
}

/// With a line end. Writing a result to memory can't fail, so neither does this.
pub(super) fn ended(text: serde_json::Result<String>) -> String {
    debug_assert!(text.is_ok());
    text.unwrap_or_default() + "\n"
}
