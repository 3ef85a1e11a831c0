//! Samples of other programs.

use clockscope_cli::render::{Report, Style, samples};

use super::*;

#[test]
fn a_row_a_label_and_what_pandas_describes() {
    insta::assert_snapshot!("samples", samples::samples(&sampled(), View::default()));
    insta::assert_snapshot!("samples_80", samples::samples(&sampled(), at(80)));
    insta::assert_snapshot!("samples_markdown", sampled().markdown(Style::default()));
    insta::assert_snapshot!("samples_csv", sampled().csv(Style::default()));
}

#[test]
fn what_is_not_known_is_said_and_is_no_nought() {
    let mut one = sampled();
    one.clocks.truncate(1);
    let clock = &mut one.clocks[0];
    (clock.monotonic, clock.stalls, clock.backward, clock.cost_ns) = (None, None, None, None);
    (clock.tick_ns.quantum, clock.tick_ns.quantum_high, clock.tick_ns.smallest_step) = (None, None, None);
    clock.longest_gap_ns = None;
    clock.missing.insert("backward".into(), "it takes two samples".into());
    let text = samples::samples(&one, View::default());
    let row = text.lines().find(|line| line.starts_with(&one.clocks[0].label)).unwrap();
    assert_eq!(row.split_whitespace().filter(|cell| *cell == "-").count(), 11, "{text}");
    assert!(text.contains("Backward: it takes two samples."), "{text}");
    one.clocks.clear();
    assert!(samples::samples(&one, at(80)).contains("0 samples of 0 labels"));
}
