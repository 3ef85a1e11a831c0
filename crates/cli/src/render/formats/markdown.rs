//! For a page or an issue.

use crate::render::{Shown, Style, deltas, list, markdown, skew, sweep};

pub(super) fn text(shown: Shown, Style { all, asked, .. }: Style) -> String {
    match shown {
        Shown::Record(record) => markdown::survey(record),
        Shown::Findings(record) => markdown::findings(&record.findings),
        Shown::Skew(report) => skew::markdown(report),
        Shown::Deltas(counted) => deltas::markdown(counted, all),
        Shown::List(clocks) => list::markdown(clocks),
        Shown::Sweep(swept) => sweep::markdown(swept, asked),
    }
}
