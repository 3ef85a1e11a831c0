//! Findings and the verdict, from machine facts and characters. Pure.

use crate::record::{Because, Clock, Finding, Machine, Run, Verdict};

/// Applies every rule; findings come worst first.
pub fn judge(machine: &Machine, run: &Run, clocks: &[Clock]) -> (Vec<Finding>, Verdict) {
    let _ = (machine, run, clocks);
    let because = Because { intervals: String::new(), wall: String::new(), cheap: String::new() };
    (Vec::new(), Verdict { intervals: None, wall: None, cheap: None, because })
}

/// The page on one rule, by its code in any case; `None`: no such code.
pub fn explain(code: &str) -> Option<&'static str> {
    code.eq_ignore_ascii_case("CS001").then_some("CS001: placeholder")
}

/// Every code with its one-line title.
pub fn codes() -> &'static [(&'static str, &'static str)] {
    &[("CS001", "placeholder")]
}
