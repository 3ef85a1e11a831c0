//! A watch of hours: its lines and its report.

use clockscope_cli::render::{csv, looks};

use super::*;

#[test]
fn a_watch_its_lines_and_its_report() {
    let report = watched();
    let rows: Vec<_> = report.clocks.iter().filter_map(|clock| clock.last.clone()).collect();
    for width in [40, 80, 120] {
        let lines =
            looks::head(&report.reference, Format::Table, at(width)) + &looks::look(&rows, Format::Table, at(width));
        assert!(lines.lines().all(|line| line.chars().count() <= width), "{lines}");
        insta::assert_snapshot!(
            format!("monitor_{width}"),
            format!("{lines}\n{}", monitor::report(&report, width == 120, at(width)))
        );
    }
    insta::assert_snapshot!("monitor_markdown", monitor::markdown(&report));
    let stream = rows.iter().fold(csv::look_header_line(), |text, row| text + &csv::look_line(row));
    insta::assert_snapshot!("monitor_csv", stream);
    assert_eq!(csv::looks(&report.clocks), stream, "one table, as it goes on and at the end");
    let columns = |line: &str| ::csv::Reader::from_reader(line.as_bytes()).headers().unwrap().len();
    assert!(stream.lines().all(|line| columns(line) == columns(&csv::look_header_line())));
}

/// Before the second look there is no rate, and it is not a number.
#[test]
fn a_rate_takes_two_looks() {
    let mut report = watched();
    let first = report.clocks[0].last.as_mut().unwrap();
    (first.rate_ppm, first.rate_low_ppm, first.rate_high_ppm) = (None, None, None);
    (first.whole_ppm, first.whole_low_ppm, first.whole_high_ppm) = (None, None, None);
    let line = looks::look(std::slice::from_ref(first), Format::Table, at(80));
    assert_eq!(line.split_whitespace().filter(|word| *word == "-").count(), 2, "{line}");
    report.clocks[0].rate = None;
    report.clocks[0].missing.insert("rate".into(), "it was looked at once, and a rate takes two looks".into());
    let text = monitor::report(&report, false, at(80));
    assert!(text.contains("a rate takes two looks"), "{text}");
    assert!(!text.contains("_ns") && !text.contains("_ppm"), "names of fields are not for people: {text}");
}
