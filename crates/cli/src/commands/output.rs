//! Prints what a run or a trace comes to.

use std::io::Write;

use clockscope_analysis::Conclusion;

use crate::args::{Call, Format, OutputArgs};
use crate::failure::Failure;
use crate::render::{View, csv, deltas, json, markdown, skew, survey};
use crate::sink::Destination;
use crate::watch::Watch;

/// Prints a whole result to where it was asked for.
pub(super) fn print(output: &OutputArgs, text: &str) -> Result<(), Failure> {
    Destination::open(output.output.as_deref())?.put(text)
}

/// A line on standard error.
pub(super) fn warn(text: &str) {
    // Not `eprintln!`, which panics when stderr is closed or full.
    let _ = writeln!(std::io::stderr(), "clockscope: {text}");
}

/// The end of a run that a signal or a full trace may have cut short; what there was has been printed.
pub(super) fn ended(watch: Watch) -> Result<(), Failure> {
    let signal = watch.signal();
    if watch.finish_trace()? {
        warn("the trace is as large as it may become, 128 MiB; the run ended there");
    }
    signal.map_or(Ok(()), |number| Err(Failure::Signal(number)))
}

/// A value as JSON.
pub(super) fn to_json<T: serde::Serialize>(value: &T) -> Result<String, Failure> {
    json::json(value).map_err(|error| Failure::Machine(format!("can't write the result as JSON: {error}")))
}

/// A conclusion in the format asked for.
pub(super) fn text(cli: &Call, conclusion: &Conclusion, all_rows: bool) -> Result<String, Failure> {
    let view = || View::of(&cli.output);
    Ok(match (conclusion, cli.output.format()) {
        (Conclusion::Record(record), Format::Json) => to_json(record)?,
        (Conclusion::Record(record), Format::Csv) => csv::clocks(&record.clocks),
        (Conclusion::Record(record), Format::Markdown) => markdown::survey(record),
        (Conclusion::Record(record), Format::Table) => survey::survey(record, cli.all, view()),
        (Conclusion::Skew(report), Format::Json) => to_json(report)?,
        (Conclusion::Skew(report), Format::Csv) => csv::skew(&report.clocks),
        (Conclusion::Skew(report), Format::Markdown) => skew::markdown(report),
        (Conclusion::Skew(report), Format::Table) => skew::skew(report, view()),
        (Conclusion::Deltas(counted), Format::Json) => to_json(counted)?,
        (Conclusion::Deltas(counted), Format::Csv) => csv::deltas(counted),
        (Conclusion::Deltas(counted), Format::Markdown) => deltas::markdown(counted, all_rows),
        (Conclusion::Deltas(counted), Format::Table) => deltas::deltas(counted, all_rows, view()),
    })
}
