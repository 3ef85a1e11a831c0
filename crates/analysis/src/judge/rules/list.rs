//! The list of all rules, in the order of their codes.

use super::rule::Rule;
use super::{
    clock_set, clocksource_changed, coarse_quantum, disturbed, failed_reads, faults, guest, interposed,
    lost_vdso, needless_coarse, skew, slept, slewed, slow_source, tsc_unfit, unsynchronised, unwatched_tsc,
};

/// One line a rule: its code, its page, its function, which returns one draft, none or more.
macro_rules! rule {
    ($code:literal, $apply:path) => {
        Rule {
            code: $code,
            page: include_str!(concat!("../../../../../docs/findings/", $code, ".md")),
            apply: |facts| $apply(facts).into_iter().collect(),
        }
    };
}

/// Every rule.
pub(in crate::judge) const RULES: &[Rule] = &[
    rule!("CS001", lost_vdso::apply),
    rule!("CS002", slow_source::apply),
    rule!("CS003", tsc_unfit::apply),
    rule!("CS004", coarse_quantum::apply),
    rule!("CS005", faults::regressions),
    rule!("CS006", faults::warps),
    rule!("CS007", faults::stalls),
    rule!("CS008", needless_coarse::apply),
    rule!("CS009", unsynchronised::apply),
    rule!("CS010", unwatched_tsc::apply),
    rule!("CS011", guest::apply),
    rule!("CS012", disturbed::interruption),
    rule!("CS013", interposed::apply),
    rule!("CS014", failed_reads::apply),
    rule!("CS015", disturbed::undecided),
    rule!("CS016", skew::apply),
    rule!("CS017", slept::apply),
    rule!("CS018", clock_set::apply),
    rule!("CS019", slewed::apply),
    rule!("CS020", clocksource_changed::apply),
];
