//! For people at a terminal.

use crate::render::{Shown, Style, deltas, list, skew, survey, sweep};

pub(super) fn text(shown: Shown, style: Style) -> String {
    let Style { all, asked, view, .. } = style;
    match shown {
        Shown::Record(record) => survey::survey(record, style),
        Shown::Findings(record) => survey::doctor(record, style),
        Shown::Skew(report) => skew::skew(report, view),
        Shown::Deltas(counted) => deltas::deltas(counted, all, view),
        Shown::List(clocks) => list::list(clocks, style),
        Shown::Sweep(swept) => sweep::sweep(swept, asked, view),
    }
}
