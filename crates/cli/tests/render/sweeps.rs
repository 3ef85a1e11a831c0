//! The survey on each clock source.

use clockscope_cli::render::csv;

use super::*;

#[test]
fn the_sweep() {
    insta::assert_snapshot!("sweep_100", sweep::sweep(&swept(), false, at(100)));
    insta::assert_snapshot!("sweep_40", sweep::sweep(&swept(), false, at(40)));
    insta::assert_snapshot!("sweep_markdown", sweep::markdown(&swept(), true));
}

#[test]
fn a_sweeps_csv_has_a_row_for_each_clock_and_one_for_a_source_without() {
    let sweep = swept();
    let text = sweep.sources.iter().fold(csv::sweep_header_line(), |text, s| text + &csv::sweep_lines(s));
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|column| column == name).expect("the column is there");
    let rows: Vec<_> = reader.records().collect::<Result<_, _>>().unwrap();
    assert_eq!(rows.len(), 4 + 1 + 4);
    assert_eq!((&rows[4][column("clocksource")], &rows[4][column("id")]), ("hpet", ""));
    assert!(rows[4][column("not_measured")].contains("stays with tsc"));
    assert!(rows[5][column("timer_tick_ns")].starts_with("279.365114"));
    assert_eq!(&rows[5][column("cost_ns_median")], "3121.4");
}

#[test]
fn a_sweep_without_the_usual_clocks_shows_what_it_has() {
    let mut sweep = swept();
    for record in sweep.sources.iter_mut().filter_map(|source| source.record.as_mut()) {
        record.clocks.retain(|clock| clock.id == "gettimeofday");
    }
    assert!(sweep::sweep(&sweep, false, at(100)).contains("gettimeofday"));
    sweep.sources.truncate(0);
    assert!(sweep::sweep(&sweep, false, at(100)).contains("Cut short:"));
}
