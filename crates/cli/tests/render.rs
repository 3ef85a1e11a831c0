//! The renderers on checked-in records: what a reader sees, byte by byte, at every width.

use std::collections::BTreeMap;

use clockscope_analysis::analyze::skew::{Played, Terms, skew as analyze};
use clockscope_analysis::record::{
    CpuInterruptions, Deltas, Distance, Faults, InterruptionReport, Interval, MonitorReport, Monotonic, PairFigures,
    Record, SkewReport, SpanReport, Sweep, ThreadsReport, TimerReport,
};
use clockscope_analysis::trace::{Bounds, Exchange};
use clockscope_cli::render::{
    Format, Report, Style, View, csv, deltas, interruptions, markdown, monitor, skew, span, survey, sweep, threads,
    timers,
};
use serde::de::DeserializeOwned;

const RECORD: &str = include_str!("fixtures/record.json");
const DELTAS: &str = include_str!("fixtures/deltas.json");
const SKEW: &str = include_str!("fixtures/skew.json");
const INTERRUPTIONS: &str = include_str!("fixtures/interruptions.json");
const TIMERS: &str = include_str!("fixtures/timers.json");
const THREADS: &str = include_str!("fixtures/threads.json");
const MONITOR: &str = include_str!("fixtures/monitor.json");
const SWEEP: &str = include_str!("fixtures/sweep.json");
const SPAN: &str = include_str!("fixtures/span.json");

fn fixture<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).expect("the fixture is what it is called")
}

fn record() -> Record {
    fixture(RECORD)
}

fn histogram() -> Deltas {
    fixture(DELTAS)
}

fn report() -> SkewReport {
    fixture(SKEW)
}

fn spans() -> SpanReport {
    fixture(SPAN)
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

fn watched() -> MonitorReport {
    fixture(MONITOR)
}

fn swept() -> Sweep {
    fixture(SWEEP)
}

fn crowds() -> ThreadsReport {
    fixture(THREADS)
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
    let count_ns = Interval::exactly(1.0);
    let terms = Terms { clock: "monotonic".into(), count_ns, quantum: Some(10.0) };
    let clock = analyze(&terms, &cpus, &BTreeMap::new(), &played);
    SkewReport { clocks: vec![clock], notes: vec!["memory not locked".into()], interrupted: true, ..report() }
}

fn styled(all: bool, view: View) -> Style {
    Style { all, view, ..Style::default() }
}

fn at(width: usize) -> View {
    View { width: Some(width), ..View::default() }
}

#[test]
fn the_survey_at_each_width() {
    for width in [40, 60, 80, 120, 200] {
        insta::assert_snapshot!(format!("survey_{width}"), survey::survey(&record(), styled(false, at(width))));
    }
    insta::assert_snapshot!("survey_piped", survey::survey(&record(), styled(false, View::default())));
    insta::assert_snapshot!("survey_all_80", survey::survey(&record(), styled(true, at(80))));
    insta::assert_snapshot!("survey_markdown", markdown::survey(&record()));
}

#[test]
fn spans_at_each_width() {
    for width in [40, 80] {
        insta::assert_snapshot!(format!("span_{width}"), span::span(&spans(), true, at(width)));
    }
    insta::assert_snapshot!("span_markdown", span::markdown(&spans()));
    insta::assert_snapshot!("span_csv", csv::span(&spans().clocks));
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for width in 20..=200 {
        for text in [
            survey::survey(&record(), styled(false, at(width))),
            survey::survey(&record(), styled(true, at(width))),
            survey::doctor(&record(), styled(false, at(width))),
            deltas::deltas(&histogram(), false, at(width)),
            sweep::sweep(&swept(), true, at(width)),
            skew::skew(&report(), at(width)),
            monitor::report(&watched(), at(width)),
            skew::skew(&large(), at(width)),
            span::span(&spans(), true, at(width)),
            interruptions::interruptions(&away(), at(width)),
            interruptions::interruptions(&many(), at(width)),
            timers::timers(&slept(), false, at(width)),
            timers::timers(&slept(), true, at(width)),
            threads::threads(&crowds(), true, at(width)),
        ] {
            for line in text.lines() {
                assert!(line.chars().count() <= width, "{width}: {line}");
            }
        }
    }
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
    insta::assert_snapshot!("doctor_80", survey::doctor(&record(), styled(false, at(80))));
    let healthy = Record { findings: Vec::new(), ..record() };
    assert!(survey::doctor(&healthy, styled(false, at(80))).contains("no findings"));
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
                key != "events" && !(["cost_ns", "rate", "runs"].contains(&key) && value.is_null())
            };
            object.iter().filter(|(key, value)| has_columns(key, value)).flat_map(of).collect()
        }
    }
}

#[test]
fn json_is_the_record_as_it_is() {
    let json = |shown: &dyn Report| Format::Json.text(shown, Style::default());
    assert_eq!(json(&record()), RECORD);
    assert_eq!(json(&histogram()), DELTAS);
    assert_eq!(json(&report()), SKEW);
    assert_eq!(json(&away()), INTERRUPTIONS);
    assert_eq!(json(&slept()), TIMERS);
    assert_eq!(json(&crowds()), THREADS);
    let line = Format::Jsonl.text(&record(), Style::default());
    assert_eq!(line.matches('\n').count(), 1);
    assert_eq!(serde_json::from_str::<Record>(&line).unwrap(), record());
}

#[test]
fn the_histogram() {
    insta::assert_snapshot!("deltas_80", deltas::deltas(&histogram(), false, at(80)));
    insta::assert_snapshot!("deltas_40", deltas::deltas(&histogram(), false, at(40)));
    insta::assert_snapshot!("deltas_all_rows", deltas::deltas(&histogram(), true, View::default()));
    insta::assert_snapshot!("deltas_markdown", deltas::markdown(&histogram(), false));
    insta::assert_snapshot!("deltas_csv", csv::deltas(&histogram()));
    // Of a clock that stands still.
    let mut still = Deltas { rows: Vec::new(), differences: 0, ..histogram() };
    (still.min_ns, still.mean_ns, still.median_ns, still.longest_ns) = (None, None, None, None);
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

#[test]
fn threads_that_read_at_once() {
    for width in [40, 80, 200] {
        insta::assert_snapshot!(format!("threads_{width}"), threads::threads(&crowds(), false, at(width)));
    }
    insta::assert_snapshot!("threads_all", threads::threads(&crowds(), true, View::default()));
    insta::assert_snapshot!("threads_markdown", threads::markdown(&crowds()));
    insta::assert_snapshot!("threads_csv", csv::threads(&crowds().clocks));
    let mut pinned = crowds();
    let rows = pinned.clocks.iter_mut().flat_map(|clock| &mut clock.crowds).flat_map(|crowd| &mut crowd.rows);
    rows.for_each(|row| row.cpu = Some(row.thread % 2));
    assert!(threads::threads(&pinned, false, View::default()).contains("Thread  CPU"));
}

#[test]
fn threads_of_which_none_came_to_read_are_told_as_such() {
    let mut report = crowds();
    report.interrupted = true;
    for crowd in report.clocks.iter_mut().flat_map(|clock| &mut clock.crowds) {
        (crowd.pairs, crowd.on_quantum_share) = (PairFigures::default(), None);
        (crowd.commonest, crowd.longest) = (Vec::new(), Vec::new());
        crowd.rows.iter_mut().for_each(|row| row.missing = Some("the thread did not come to run".into()));
    }
    let text = threads::threads(&report, false, at(80));
    assert!(
        text.contains("Cut short") && text.contains("Thread 0 of 1, 0 of 4, 1 of 4 and 2 more: the thread"),
        "{text}"
    );
    report.clocks.clear();
    assert!(threads::threads(&report, false, at(80)).contains("Cut short"));
}

#[test]
fn a_watch_its_lines_and_its_report() {
    let report = watched();
    let rows: Vec<_> = report.clocks.iter().filter_map(|clock| clock.last.clone()).collect();
    for width in [40, 80, 120] {
        let lines = monitor::head(at(width)) + &monitor::lines(&rows, at(width));
        assert!(lines.lines().all(|line| line.chars().count() <= width), "{lines}");
        insta::assert_snapshot!(
            format!("monitor_{width}"),
            format!("{lines}\n{}", monitor::report(&report, at(width)))
        );
    }
    insta::assert_snapshot!("monitor_markdown", monitor::markdown(&report));
    let stream = rows.iter().fold(csv::look_header_line(), |text, row| text + &csv::look_line(row));
    insta::assert_snapshot!("monitor_csv", format!("{stream}\n{}", csv::monitored(&report.clocks)));
    let columns = |line: &str| ::csv::Reader::from_reader(line.as_bytes()).headers().unwrap().len();
    assert!(stream.lines().all(|line| columns(line) == columns(&csv::look_header_line())));
}

#[test]
fn few_cpus_make_a_matrix_of_many_the_worst_pairs_and_a_summary_are_shown() {
    for width in [40, 80] {
        insta::assert_snapshot!(format!("skew_{width}"), skew::skew(&report(), at(width)));
    }
    for width in [40, 100] {
        insta::assert_snapshot!(format!("skew_many_{width}"), skew::skew(&large(), at(width)));
    }
    insta::assert_snapshot!("skew_markdown", skew::markdown(&report()));
    insta::assert_snapshot!("skew_csv", csv::skew(&report().clocks));
    assert_eq!(csv::skew(&large().clocks).lines().count(), 1 + 66);
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

#[test]
fn the_survey_has_a_line_of_it() {
    let mut record = record();
    assert!(!survey::survey(&record, styled(false, at(100))).contains("CPU offset"));
    record.skew = report().clocks;
    let line = "tscp disagrees (CS016), monotonic −96…+86 ns";
    assert!(survey::survey(&record, styled(false, at(100))).contains(line));
    assert!(markdown::survey(&record).contains(line));
}
