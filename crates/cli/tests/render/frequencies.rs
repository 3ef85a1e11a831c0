//! The counter's frequency.

use clockscope_analysis::record::Interval;
use clockscope_cli::render::csv;

use super::*;

#[test]
fn every_source_at_each_width() {
    for width in [40, 80, 200] {
        insta::assert_snapshot!(format!("frequency_{width}"), frequency::frequency(&stated(), at(width)));
    }
    insta::assert_snapshot!("frequency_markdown", frequency::markdown(&stated()));
    insta::assert_snapshot!("frequency_csv", csv::frequency(&stated().sources));
}

#[test]
fn what_is_not_there_leaves_no_empty_heading() {
    let mut nothing =
        FrequencyReport { reference: "monotonic".into(), interrupted: true, ..FrequencyReport::default() };
    nothing.missing.insert("measured_hz".into(), "no counter can be read".into());
    insta::assert_snapshot!("frequency_nothing_80", frequency::frequency(&nothing, at(80)));
    insta::assert_snapshot!("frequency_nothing_markdown", frequency::markdown(&nothing));
}

/// As many digits as the interval allows, in groups; the same of what stands behind the ±.
#[test]
fn digits_follow_the_interval() {
    let mut report = stated();
    for (half, said) in [
        (0.001, "2,445,424,000.500"),
        (0.05, "2,445,424,000.50"),
        (0.5, "2,445,424,000.5 "),
        (3.0, "2,445,424,000 "),
        (4321.0, "4,321"),
    ] {
        let value = 2_445_424_000.5;
        report.sources[0].hz = Interval { value, low: value - half, high: value + half };
        let text = frequency::frequency(&report, at(120));
        assert!(text.contains(said), "{said}: {text}");
    }
}
