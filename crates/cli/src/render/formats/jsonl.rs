//! The same as `json` on one line, for files that many runs are appended to.

use crate::render::{Shown, Style};

pub(super) fn text(shown: Shown, _: Style) -> String {
    let text = serde_json::to_string(&shown);
    debug_assert!(text.is_ok());
    text.unwrap_or_default() + "\n"
}
