//! For people at a terminal.

use crate::render::{Report, Style};

pub(super) fn text(shown: &dyn Report, style: Style) -> String {
    shown.table(style)
}
