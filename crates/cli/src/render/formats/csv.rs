//! One row a clock, a pair of CPUs, a difference or a finding.

use crate::render::{Report, Style};

pub(super) fn text(shown: &dyn Report, style: Style) -> String {
    shown.csv(style)
}
