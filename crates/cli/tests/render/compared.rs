//! What changed between records.

use clockscope_analysis::record::CompareReport;
use clockscope_cli::render::compare;

use super::*;

pub(crate) const COMPARE: &str = include_str!("../fixtures/compare.json");

pub(crate) fn held() -> CompareReport {
    fixture(COMPARE)
}

#[test]
fn a_table_a_figure_at_each_width() {
    for width in [40, 80, 200] {
        insta::assert_snapshot!(format!("compare_{width}"), compare::compare(&held(), at(width)));
    }
    insta::assert_snapshot!("compare_markdown", compare::markdown(&held()));
    insta::assert_snapshot!("compare_csv", compare::csv(&held().comparisons));
}
