//! For a page or an issue.

use crate::render::{Report, Style};

pub(super) fn text(shown: &dyn Report, style: Style) -> String {
    shown.markdown(style)
}
