//! What there is to show, and how it is wanted.

use clockscope_analysis::Conclusion;
use clockscope_analysis::record::{Deltas, Record, SkewReport, Sweep};
use clockscope_engine::session::Listed;

use super::View;

/// What there is to show.
#[derive(Debug, Clone, Copy)]
pub enum Shown<'a> {
    /// A survey.
    Record(&'a Record),
    /// What is wrong of it.
    Findings(&'a Record),
    /// A comparison of CPUs.
    Skew(&'a SkewReport),
    /// One clock's differences.
    Deltas(&'a Deltas),
    /// The catalog.
    List(&'a [Listed]),
    /// A survey a clocksource.
    Sweep(&'a Sweep),
}

impl<'a> From<&'a Conclusion> for Shown<'a> {
    fn from(conclusion: &'a Conclusion) -> Self {
        match conclusion {
            Conclusion::Record(record) => Self::Record(record),
            Conclusion::Skew(report) => Self::Skew(report),
            Conclusion::Deltas(deltas) => Self::Deltas(deltas),
        }
    }
}

/// How it is wanted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Style {
    /// Of a survey: forced ways of reading in the first table. Of differences: a row for each.
    pub all: bool,
    /// Of a sweep: the clocks were asked for.
    pub asked: bool,
    /// Where it is shown.
    pub view: View,
}
