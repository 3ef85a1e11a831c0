//! The histogram of adjacent differences.

use clockscope_cli::render::csv;

use super::*;

#[test]
fn the_histogram() {
    insta::assert_snapshot!("deltas_80", deltas::deltas(&histogram(), false, at(80)));
    insta::assert_snapshot!("deltas_40", deltas::deltas(&histogram(), false, at(40)));
    insta::assert_snapshot!("deltas_all_rows", deltas::deltas(&histogram(), true, View::default()));
    insta::assert_snapshot!("deltas_markdown", deltas::markdown(&histogram(), false));
    insta::assert_snapshot!("deltas_csv", csv::deltas(&histogram()));
    // Of a clock that stands still.
    let mut still = Deltas { rows: Vec::new(), differences: 0, ..histogram() };
    (still.min_ns, still.mean_ns, still.median_ns, still.longest_ns) = (None, None, None, None);
    assert_eq!(
        deltas::deltas(&still, false, at(80)),
        "monotonic: 0 adjacent differences. The clock never advanced. A tick is 1 ns.\n"
    );
}
