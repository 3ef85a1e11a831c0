//! The shortest intervals.

use clockscope_cli::render::csv;

use super::*;

#[test]
fn spans_at_each_width() {
    for width in [40, 80] {
        insta::assert_snapshot!(format!("span_{width}"), span::span(&spans(), true, at(width)));
    }
    insta::assert_snapshot!("span_markdown", span::markdown(&spans()));
    insta::assert_snapshot!("span_csv", csv::span(&spans().clocks, false));
    insta::assert_snapshot!("span_curve_csv", csv::span(&spans().clocks, true));
}
