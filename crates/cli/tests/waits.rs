//! The renderers of interruptions and of timers on checked-in results.

use clockscope_analysis::record::{CpuInterruptions, InterruptionReport, TimerReport};
use clockscope_cli::render::{Format, Report, Style, View, csv, interruptions, timers};
use serde::de::DeserializeOwned;

const INTERRUPTIONS: &str = include_str!("fixtures/interruptions.json");
const TIMERS: &str = include_str!("fixtures/timers.json");

fn fixture<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).expect("the fixture is what it is called")
}

fn away() -> InterruptionReport {
    fixture(INTERRUPTIONS)
}

fn slept() -> TimerReport {
    fixture(TIMERS)
}

/// More CPUs than have tables of their own, one of them not watched.
fn many() -> InterruptionReport {
    let mut report = away();
    let cpu = report.cpus[0].clone();
    report.cpus = (0..8).map(|number| CpuInterruptions { cpu: number, ..cpu.clone() }).collect();
    let missing = [("lost_share".to_owned(), "no thread could be pinned to it".to_owned())].into();
    report.cpus[3] = CpuInterruptions { cpu: 3, missing, ..CpuInterruptions::default() };
    report
}

fn at(width: usize) -> View {
    View { width: Some(width), ..View::default() }
}

#[test]
fn no_line_is_wider_than_the_terminal_and_colours_change_no_character() {
    let all = |view| {
        [
            interruptions::interruptions(&away(), view),
            interruptions::interruptions(&many(), view),
            timers::timers(&slept(), false, view),
            timers::timers(&slept(), true, view),
        ]
    };
    for width in 20..=200 {
        for line in all(at(width)).iter().flat_map(|text| text.lines()) {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
    for (coloured, plain) in all(View { colour: true, ..at(80) }).iter().zip(all(at(80))) {
        assert_ne!(*coloured, plain);
        assert_eq!(anstream::adapter::strip_str(coloured).to_string(), plain);
    }
}

#[test]
fn json_is_the_report_as_it_is() {
    let json = |shown: &dyn Report| Format::Json.text(shown, Style::default());
    assert_eq!(json(&away()), INTERRUPTIONS);
    assert_eq!(json(&slept()), TIMERS);
}

#[test]
fn where_the_time_went() {
    for width in [40, 80] {
        insta::assert_snapshot!(format!("interruptions_{width}"), interruptions::interruptions(&away(), at(width)));
    }
    insta::assert_snapshot!("interruptions_many_80", interruptions::interruptions(&many(), at(80)));
    insta::assert_snapshot!("interruptions_markdown", interruptions::markdown(&away()));
    insta::assert_snapshot!("interruptions_csv", csv::interruptions(&away().cpus));
    let mut quiet = away();
    quiet.cpus.truncate(1);
    let cpu = &quiet.cpus[0];
    quiet.cpus[0] = CpuInterruptions {
        count: 0,
        lost_ns: 0.0,
        lost_share: Some(0.0),
        causes: Vec::new(),
        lengths: Vec::new(),
        longest: Vec::new(),
        ..cpu.clone()
    };
    assert!(interruptions::interruptions(&quiet, at(80)).contains("never away for more than"));
}

#[test]
fn how_late_sleeps_end() {
    for width in [40, 80, 120] {
        insta::assert_snapshot!(format!("timers_{width}"), timers::timers(&slept(), false, at(width)));
    }
    insta::assert_snapshot!("timers_all_200", timers::timers(&slept(), true, at(200)));
    insta::assert_snapshot!("timers_markdown", timers::markdown(&slept()));
    insta::assert_snapshot!("timers_csv", csv::timers(&slept().rows));
    let mut nothing = slept();
    nothing.rows.clear();
    nothing.causes.clear();
    assert!(timers::timers(&nothing, false, at(80)).contains("nothing slept"));
}
