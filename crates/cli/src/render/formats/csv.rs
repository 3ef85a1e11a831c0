//! One row a clock, a pair of CPUs, a difference or a finding.

use crate::render::{Shown, Style, csv};

pub(super) fn text(shown: Shown, _: Style) -> String {
    match shown {
        Shown::Record(record) => csv::clocks(&record.clocks),
        Shown::Findings(record) => csv::findings(&record.findings),
        Shown::Skew(report) => csv::skew(&report.clocks),
        Shown::Deltas(counted) => csv::deltas(counted),
        Shown::List(clocks) => csv::list(clocks),
        Shown::Sweep(swept) => csv::sweep(swept),
    }
}
