//! The renderers on checked-in records: what a reader sees, byte by byte, at every width.

mod checks;
mod compared;
mod crowds;
mod frequencies;
mod histograms;
mod matrices;
mod runtimes;
mod samples;
mod spans;
mod surveys;
mod sweeps;
mod waits;
mod watches;

use clockscope_analysis::judge::advise;
use clockscope_analysis::record::{
    Cost, Deltas, Ends, FrequencyReport, InterruptionReport, MonitorReport, Program, Record, RuntimesReport, Samples,
    SkewReport, SpanReport, Sweep, ThreadsReport, TimerReport,
};
use clockscope_cli::render::{
    Format, Report, Style, View, deltas, frequency, interruptions, monitor, skew, span, survey, sweep, threads, timers,
};
use serde::de::DeserializeOwned;

const RECORD: &str = include_str!("../fixtures/record.json");
const DELTAS: &str = include_str!("../fixtures/deltas.json");
const SKEW: &str = include_str!("../fixtures/skew.json");
const INTERRUPTIONS: &str = include_str!("../fixtures/interruptions.json");
const TIMERS: &str = include_str!("../fixtures/timers.json");
const THREADS: &str = include_str!("../fixtures/threads.json");
const MONITOR: &str = include_str!("../fixtures/monitor.json");
const SWEEP: &str = include_str!("../fixtures/sweep.json");
const FREQUENCY: &str = include_str!("../fixtures/frequency.json");
const SPAN: &str = include_str!("../fixtures/span.json");

const SAMPLES: &str = include_str!("../fixtures/samples.json");
const RUNTIMES: &str = include_str!("../fixtures/runtimes.json");

fn fixture<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).expect("the fixture is what it is called")
}

fn sampled() -> Samples {
    fixture(SAMPLES)
}

fn languages() -> RuntimesReport {
    fixture(RUNTIMES)
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

fn stated() -> FrequencyReport {
    fixture(FREQUENCY)
}

fn away() -> InterruptionReport {
    fixture(INTERRUPTIONS)
}

fn slept() -> TimerReport {
    fixture(TIMERS)
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

fn at(width: usize) -> View {
    View { width: Some(width), ..View::default() }
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for width in 20..=200 {
        for text in [
            survey::survey(&record(), surveys::styled(false, at(width))),
            survey::survey(&record(), surveys::styled(true, at(width))),
            survey::doctor(&record(), &advise(&record(), &Program::ALL), surveys::styled(true, at(width))),
            deltas::deltas(&histogram(), false, at(width)),
            sweep::sweep(&swept(), true, at(width)),
            skew::skew(&report(), at(width)),
            monitor::report(&watched(), true, at(width)),
            skew::skew(&matrices::large(), at(width)),
            span::span(&spans(), true, at(width)),
            frequency::frequency(&stated(), at(width)),
            interruptions::interruptions(&away(), false, at(width)),
            interruptions::interruptions(&waits::many(), false, at(width)),
            timers::timers(&slept(), false, at(width)),
            timers::timers(&slept(), true, at(width)),
            threads::threads(&crowds(), true, at(width)),
            clockscope_cli::render::compare::compare(&compared::held(), at(width)),
            clockscope_cli::render::samples::samples(&sampled(), at(width)),
            clockscope_cli::render::runtimes::runtimes(&languages(), at(width)),
        ] {
            for line in text.lines() {
                assert!(line.chars().count() <= width, "{width}: {line}");
            }
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
    assert_eq!(json(&watched()), MONITOR);
    assert_eq!(json(&spans()), SPAN);
    assert_eq!(json(&stated()), FREQUENCY);
    assert_eq!(json(&compared::held()), compared::COMPARE);
    assert_eq!(json(&sampled()), SAMPLES);
    assert_eq!(json(&languages()), RUNTIMES);
    let line = Format::Jsonl.text(&record(), Style::default());
    assert_eq!(line.matches('\n').count(), 1);
    assert_eq!(serde_json::from_str::<Record>(&line).unwrap(), record());
}
