//! The renderer of skew on a checked-in report and on a machine of many CPUs that never was.

use std::collections::BTreeMap;

use clockscope_analysis::analyze::skew::{Played, Terms, skew as analyze};
use clockscope_analysis::record::{Distance, Interval, Record, SkewReport};
use clockscope_analysis::trace::{Bounds, Exchange};
use clockscope_cli::render::{Format, Shown, Style, View, csv, markdown, skew, survey};

const REPORT: &str = include_str!("fixtures/skew.json");
const RECORD: &str = include_str!("fixtures/record.json");

fn report() -> SkewReport {
    serde_json::from_str(REPORT).expect("the fixture is a report")
}

/// Two packages of six CPUs; one CPU is 400 ns ahead.
fn large() -> SkewReport {
    let cpus: Vec<u32> = (0..12).collect();
    let mut played = Vec::new();
    for a in 0..12u32 {
        for b in a + 1..12 {
            let far = a / 6 != b / 6;
            let way = if far { 250 } else { 60 };
            let offset = i64::from(b == 7) * 400 - i64::from(a == 7) * 400;
            let mut trace = Exchange { messages: 4000, round_trip: Some(2 * way as u64), ..Exchange::default() };
            trace.block(Bounds { low: Some(offset - way), high: Some(offset + way) });
            trace.compare(offset + way);
            trace.compare(way - offset);
            let distance = if far { Distance::OtherPackage } else { Distance::SamePackage };
            played.push(Played { cpu_a: a, cpu_b: b, distance: Some(distance), found: Ok(trace) });
        }
    }
    let count_ns = Interval { value: 1.0, low: 1.0, high: 1.0 };
    let terms = Terms { clock: "monotonic".into(), count_ns, quantum: Some(10.0) };
    let clock = analyze(&terms, &cpus, &BTreeMap::new(), &played);
    SkewReport { clocks: vec![clock], notes: vec!["memory not locked".into()], interrupted: true, ..report() }
}

fn at(width: usize) -> View {
    View { width: Some(width), colour: false }
}

#[test]
fn few_cpus_make_a_matrix() {
    insta::assert_snapshot!("skew_80", skew::skew(&report(), at(80)));
    insta::assert_snapshot!("skew_40", skew::skew(&report(), at(40)));
}

#[test]
fn of_many_cpus_the_worst_pairs_and_a_summary_are_shown() {
    insta::assert_snapshot!("skew_many_100", skew::skew(&large(), at(100)));
    insta::assert_snapshot!("skew_many_40", skew::skew(&large(), at(40)));
}

#[test]
fn a_page_and_rows() {
    insta::assert_snapshot!("skew_markdown", skew::markdown(&report()));
    insta::assert_snapshot!("skew_csv", csv::skew(&report().clocks));
    assert_eq!(csv::skew(&large().clocks).lines().count(), 1 + 66);
}

#[test]
fn json_is_the_report_as_it_is() {
    assert_eq!(Format::Json.text(Shown::Skew(&report()), Style::default()).unwrap(), REPORT);
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for width in 40..=200 {
        for text in [skew::skew(&report(), at(width)), skew::skew(&large(), at(width))] {
            for line in text.lines() {
                assert!(line.chars().count() <= width, "{width}: {line}");
            }
        }
    }
}

#[test]
fn colours_change_no_character() {
    let coloured = skew::skew(&report(), View { width: Some(80), colour: true });
    assert!(coloured.contains('\u{1b}'));
    assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), skew::skew(&report(), at(80)));
}

#[test]
fn the_survey_has_a_line_of_it() {
    let mut record: Record = serde_json::from_str(RECORD).expect("the fixture is a record");
    assert!(!survey::survey(&record, false, at(100)).contains("Between CPUs"));
    record.skew = report().clocks;
    let line = "Between CPUs: tscp disagrees (CS016); monotonic agrees within -96 to 86 ns.";
    assert!(survey::survey(&record, false, at(100)).contains(line));
    assert!(markdown::survey(&record).contains(line));
}
