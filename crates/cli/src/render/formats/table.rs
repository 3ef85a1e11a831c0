//! For people at a terminal.

use crate::render::{Shown, Style, deltas, list, skew, survey, sweep};

pub(super) fn text(shown: Shown, Style { all, asked, view }: Style) -> String {
    match shown {
        Shown::Record(record) => survey::survey(record, all, view),
        Shown::Findings(record) => survey::doctor(record, view),
        Shown::Skew(report) => skew::skew(report, view),
        Shown::Deltas(counted) => deltas::deltas(counted, all, view),
        Shown::List(clocks) => list::list(clocks, view),
        Shown::Sweep(swept) => sweep::sweep(swept, asked, view),
    }
}
