//! The survey, the doctor and their CSV.

use clockscope_analysis::record::{Faults, Monotonic};
use clockscope_cli::render::{Findings, csv, markdown};

use super::*;

pub(crate) fn styled(all: bool, view: View) -> Style {
    Style { all, view, ..Style::default() }
}

#[test]
fn the_survey_at_each_width() {
    for width in [40, 60, 80, 120, 200] {
        insta::assert_snapshot!(format!("survey_{width}"), survey::survey(&record(), styled(false, at(width))));
    }
    insta::assert_snapshot!("survey_piped", survey::survey(&record(), styled(false, View::default())));
    insta::assert_snapshot!("survey_all_80", survey::survey(&record(), styled(true, at(80))));
    insta::assert_snapshot!("survey_so_far_80", survey::so_far(&record(), false, at(80)));
    insta::assert_snapshot!("survey_markdown", markdown::survey(&record()));
}

#[test]
fn colours_change_no_character() {
    let in_colour = |colour| {
        let view = View { colour, ..at(80) };
        [survey::survey(&record(), styled(false, view)), skew::skew(&report(), view)]
    };
    for (coloured, plain) in in_colour(true).iter().zip(in_colour(false)) {
        assert_ne!(*coloured, plain);
        assert_eq!(anstream::adapter::strip_str(coloured).to_string(), plain);
    }
}

#[test]
fn a_forced_way_that_failed_is_not_hidden_and_its_column_is_kept() {
    let mut record = record();
    let clock = record.clocks.iter_mut().find(|clock| clock.id == "monotonic@syscall").unwrap();
    clock.regressions = Faults { count: 7, largest_ns: 12.0, over_1ms: 0 };
    clock.monotonic = Monotonic::Violated;
    insta::assert_snapshot!("survey_failed_40", survey::survey(&record, styled(false, at(40))));
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
    insta::assert_snapshot!("survey_interrupted_80", survey::survey(&record, styled(false, at(80))));
    record.clocks.clear();
    assert!(survey::survey(&record, styled(false, at(80))).contains("No clock was measured."));
}

#[test]
fn the_doctor() {
    insta::assert_snapshot!("doctor_80", survey::doctor(&record(), &[], styled(false, at(80))));
    let healthy = Record { findings: Vec::new(), ..record() };
    assert!(survey::doctor(&healthy, &[], styled(false, at(80))).contains("no findings"));
}

#[test]
fn the_doctor_of_programs() {
    let (record, asked) = (record(), [Program::Postgres, Program::Go]);
    let advice = advise(&record, &asked);
    for width in [40, 80] {
        insta::assert_snapshot!(
            format!("doctor_for_{width}"),
            survey::doctor(&record, &advice, styled(false, at(width)))
        );
    }
    let found = Findings { record: &record, programs: &advice };
    insta::assert_snapshot!("doctor_for_markdown", found.markdown(Style::default()));
    let text = found.csv(Style::default());
    insta::assert_snapshot!("doctor_for_csv", text);
    let mut rows = ::csv::Reader::from_reader(text.as_bytes());
    assert_eq!(rows.records().count(), advice.iter().map(|program| program.clocks.len()).sum::<usize>());
    // Every field of a program's clock has its column.
    let value = serde_json::to_value(&advice[0].clocks[0]).unwrap();
    let head = rows.headers().unwrap().clone();
    for field in value.as_object().unwrap().keys() {
        assert!(head.iter().any(|column| column.starts_with(field)), "{field} has no column");
    }
}

#[test]
fn csv_has_every_clock_and_every_field() {
    let text = csv::clocks(&record().clocks);
    insta::assert_snapshot!("survey_csv", text);
    let header = csv::header_line();
    let header: Vec<&str> = header.trim_end().split(',').collect();
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    let rows: Vec<_> = reader.records().collect::<Result<_, _>>().unwrap();
    assert_eq!(rows.len(), record().clocks.len());
    assert!(rows.iter().all(|row| row.len() == header.len()));
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
                key != "events" && !(["cost_ns", "rate", "runs", "span_ns"].contains(&key) && value.is_null())
            };
            object.iter().filter(|(key, value)| has_columns(key, value)).flat_map(of).collect()
        }
    }
}

#[test]
fn the_survey_has_a_line_of_it() {
    let mut record = record();
    assert!(!survey::survey(&record, styled(false, at(100))).contains("CPU offset"));
    record.skew = report().clocks;
    let line = "tscp disagrees (CS016), monotonic −96…+86 ns";
    assert!(survey::survey(&record, styled(false, at(100))).contains(line));
    assert!(markdown::survey(&record).contains(line));
}
