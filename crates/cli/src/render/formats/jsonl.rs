//! The same as `json` on one line, for files that many runs are appended to.

use super::json::ended;
use crate::render::{Report, Style};

pub(super) fn text(shown: &dyn Report, _: Style) -> String {
    ended(serde_json::to_string(shown))
}
