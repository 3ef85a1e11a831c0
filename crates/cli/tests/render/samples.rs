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

#[test]
fn a_cost_that_the_run_does_not_tell_is_no_figure() {
    let mut one = sampled();
    one.clocks.truncate(1);
    one.clocks[0].cost_ns = Some(Cost { median: 600.0, low: 0.0, high: 1400.0, batches: 30, ..Cost::default() });
    let text = samples::samples(&one, View::default());
    assert!(!text.contains("600 ns") && !text.contains("800 ns"), "{text}");
    assert!(text.contains("Cost: too uncertain in this run; the JSON has its interval."), "{text}");
}

/// A double has not the digits of a number of 64 bits.
#[test]
fn no_digit_of_a_value_is_made_up() {
    let mut one = sampled();
    one.clocks.truncate(1);
    let clock = &mut one.clocks[0];
    let mut values = clock.values.unwrap();
    (values.min, values.max, values.mean) =
        (1_795_555_028_442_384_030_f64, 18_446_744_073_709_551_615_f64, 1.8e18 + 256.0);
    clock.values = Some(values);
    let ends = Ends { min: "1795555028442384030".into(), max: "18446744073709551615".into() };
    clock.values_exact = Some(ends);
    let text = samples::samples(&one, View::default());
    for right in ["1795555028442384030", "18446744073709551615", "1.800000000000000e18"] {
        assert!(text.contains(right), "{right}: {text}");
    }
    // A version that did not state them.
    one.clocks[0].values_exact = None;
    let text = samples::samples(&one, View::default());
    assert!(text.contains("1.795555028442384e18") && !text.contains("1795555028442384"), "{text}");
}
