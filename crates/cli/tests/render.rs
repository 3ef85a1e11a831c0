//! The renderers on checked-in records: what a reader sees, byte by byte, at every width.

use clockscope_analysis::record::{Deltas, Faults, Monotonic, Record, Sweep};
use clockscope_cli::render::{Format, Shown, Style, View, csv, deltas, markdown, survey, sweep};

const RECORD: &str = include_str!("fixtures/record.json");
const DELTAS: &str = include_str!("fixtures/deltas.json");
const SWEEP: &str = include_str!("fixtures/sweep.json");

fn record() -> Record {
    serde_json::from_str(RECORD).expect("the fixture is a record")
}

fn histogram() -> Deltas {
    serde_json::from_str(DELTAS).expect("the fixture is a histogram")
}

fn swept() -> Sweep {
    serde_json::from_str(SWEEP).expect("the fixture is a sweep")
}

fn at(width: usize) -> View {
    View { width: Some(width), colour: false }
}

#[test]
fn the_survey_at_each_width() {
    for width in [40, 60, 80, 100, 140, 200] {
        insta::assert_snapshot!(format!("survey_{width}"), survey::survey(&record(), false, at(width)));
    }
}

#[test]
fn the_survey_in_a_pipe_has_every_column() {
    insta::assert_snapshot!("survey_piped", survey::survey(&record(), false, View::default()));
}

#[test]
fn all_puts_the_forced_ways_into_the_table() {
    insta::assert_snapshot!("survey_all_80", survey::survey(&record(), true, at(80)));
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for width in 40..=200 {
        for text in [
            survey::survey(&record(), false, at(width)),
            survey::survey(&record(), true, at(width)),
            survey::doctor(&record(), at(width)),
            deltas::deltas(&histogram(), false, at(width)),
            sweep::sweep(&swept(), true, at(width)),
        ] {
            for line in text.lines() {
                assert!(line.chars().count() <= width, "{width}: {line}");
            }
        }
    }
}

#[test]
fn colours_change_no_character() {
    let coloured = survey::survey(&record(), false, View { width: Some(80), colour: true });
    let plain = survey::survey(&record(), false, at(80));
    assert_ne!(coloured, plain);
    let mut stripped = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        stripped.push_str(before);
        rest = after.split_once('m').expect("a colour ends with m").1;
    }
    stripped.push_str(rest);
    assert_eq!(stripped, plain);
}

#[test]
fn a_forced_way_that_failed_is_not_hidden_and_its_column_is_kept() {
    let mut record = record();
    let clock = record.clocks.iter_mut().find(|clock| clock.id == "monotonic@syscall").unwrap();
    clock.regressions = Faults { count: 7, largest_ns: 12.0, over_1ms: 0 };
    clock.monotonic = Monotonic::Violated;
    insta::assert_snapshot!("survey_failed_40", survey::survey(&record, false, at(40)));
}

#[test]
fn an_interrupted_run_and_an_interposed_clock_say_so() {
    let mut record = record();
    record.run.interrupted = true;
    record.run.cpu = None;
    record.run.notes = vec!["memory was not locked: cannot allocate memory".into()];
    record.clocks.truncate(1);
    record.clocks[0].interposed_by = Some("/usr/lib/libfaketime.so".into());
    record.verdict.intervals = None;
    record.findings.clear();
    insta::assert_snapshot!("survey_interrupted_80", survey::survey(&record, false, at(80)));
    record.clocks.clear();
    assert!(survey::survey(&record, false, at(80)).contains("No clock was measured."));
}

#[test]
fn the_doctor() {
    insta::assert_snapshot!("doctor_80", survey::doctor(&record(), at(80)));
    let healthy = Record { findings: Vec::new(), ..record() };
    assert!(survey::doctor(&healthy, at(80)).contains("0 errors, 0 warnings, 0 notes on 35 clocks"));
}

#[test]
fn markdown_has_every_clock() {
    insta::assert_snapshot!("survey_markdown", markdown::survey(&record()));
}

#[test]
fn csv_has_every_clock_and_every_field() {
    let text = csv::clocks(&record().clocks);
    insta::assert_snapshot!("survey_csv", text);
    let header: Vec<&str> = csv::header().collect();
    for clock in &record().clocks {
        let value = serde_json::to_value(clock).unwrap();
        for field in flat("", &value) {
            assert!(header.contains(&field.as_str()), "{field} has no column");
        }
    }
}

/// Names of an object's leaves as CSV has them. Maps of free keys are one column, and so are no events.
fn flat(prefix: &str, value: &serde_json::Value) -> Vec<String> {
    let one_column = matches!(prefix, "missing" | "interruptions_by_cause");
    match value.as_object().filter(|_| !one_column) {
        None => vec![prefix.to_owned()],
        Some(object) => {
            let of = |(key, value): (&String, _)| {
                flat(&if prefix.is_empty() { key.clone() } else { format!("{prefix}_{key}") }, value)
            };
            // An absent cost or rate is one `null` for a whole object.
            let has_columns = |key: &str, value: &serde_json::Value| {
                key != "events" && !(["cost_ns", "rate"].contains(&key) && value.is_null())
            };
            object.iter().filter(|(key, value)| has_columns(key, value)).flat_map(of).collect()
        }
    }
}

#[test]
fn csv_can_be_read_back() {
    let text = csv::clocks(&record().clocks);
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    let columns = reader.headers().unwrap().len();
    let rows: Vec<_> = reader.records().collect::<Result<_, _>>().unwrap();
    assert_eq!(rows.len(), record().clocks.len());
    assert!(rows.iter().all(|row| row.len() == columns));
}

#[test]
fn json_is_the_record_as_it_is() {
    let json = |shown: Shown| Format::Json.text(shown, Style::default()).unwrap();
    assert_eq!(json(Shown::Record(&record())), RECORD);
    assert_eq!(json(Shown::Deltas(&histogram())), DELTAS);
}

#[test]
fn the_histogram() {
    insta::assert_snapshot!("deltas_80", deltas::deltas(&histogram(), false, at(80)));
    insta::assert_snapshot!("deltas_40", deltas::deltas(&histogram(), false, at(40)));
    insta::assert_snapshot!("deltas_all_rows", deltas::deltas(&histogram(), true, View::default()));
    insta::assert_snapshot!("deltas_markdown", deltas::markdown(&histogram(), false));
    insta::assert_snapshot!("deltas_csv", csv::deltas(&histogram()));
}

#[test]
fn a_histogram_of_a_clock_that_stands_still() {
    let still = Deltas {
        rows: Vec::new(),
        min_ns: None,
        mean_ns: None,
        median_ns: None,
        longest_ns: None,
        differences: 0,
        ..histogram()
    };
    assert_eq!(
        deltas::deltas(&still, false, at(80)),
        "monotonic: 0 adjacent differences. The clock never advanced. A tick is 1 ns.\n"
    );
}

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
    let column = |name: &str| csv_column(&text, name);
    let rows: Vec<_> = reader.records().collect::<Result<_, _>>().unwrap();
    assert_eq!(rows.len(), 4 + 1 + 4);
    assert_eq!((&rows[4][column("clocksource")], &rows[4][column("id")]), ("hpet", ""));
    assert!(rows[4][column("not_measured")].contains("stays with tsc"));
    assert!(rows[5][column("timer_tick_ns")].starts_with("279.365114"));
    assert_eq!(&rows[5][column("cost_ns_median")], "3121.4");
}

fn csv_column(text: &str, name: &str) -> usize {
    let header = ::csv::Reader::from_reader(text.as_bytes()).headers().unwrap().clone();
    header.iter().position(|column| column == name).expect("the column is there")
}

#[test]
fn a_sweep_without_the_usual_clocks_shows_what_it_has() {
    let mut sweep = swept();
    for record in sweep.sources.iter_mut().filter_map(|source| source.record.as_mut()) {
        record.clocks.retain(|clock| clock.id == "gettimeofday");
    }
    assert!(sweep::sweep(&sweep, false, at(100)).contains("gettimeofday"));
    sweep.sources.truncate(0);
    assert!(sweep::sweep(&sweep, false, at(100)).contains("Interrupted:"));
}
