//! A watch of hours: its lines and its report.

use clockscope_cli::render::csv;

use super::*;

#[test]
fn a_watch_its_lines_and_its_report() {
    let report = watched();
    let rows: Vec<_> = report.clocks.iter().filter_map(|clock| clock.last.clone()).collect();
    for width in [40, 80, 120] {
        let lines = monitor::head(at(width)) + &monitor::lines(&rows, at(width));
        assert!(lines.lines().all(|line| line.chars().count() <= width), "{lines}");
        insta::assert_snapshot!(
            format!("monitor_{width}"),
            format!("{lines}\n{}", monitor::report(&report, width == 120, at(width)))
        );
    }
    insta::assert_snapshot!("monitor_markdown", monitor::markdown(&report));
    let stream = rows.iter().fold(csv::look_header_line(), |text, row| text + &csv::look_line(row));
    insta::assert_snapshot!("monitor_csv", format!("{stream}\n{}", csv::monitored(&report.clocks)));
    let columns = |line: &str| ::csv::Reader::from_reader(line.as_bytes()).headers().unwrap().len();
    assert!(stream.lines().all(|line| columns(line) == columns(&csv::look_header_line())));
}
