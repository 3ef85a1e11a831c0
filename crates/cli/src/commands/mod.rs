//! One file a subcommand.

mod deltas;
mod doctor;
mod explain;
mod generate;
mod list;
mod skew;
mod survey;
mod sweep;

use std::io::Write;
use std::time::Duration;

use clockscope_analysis::record::Record;

use crate::args::{Cli, Command, OutputArgs};
use crate::failure::Failure;
use crate::signals::Signals;
use crate::sink::Destination;
use crate::watch::Watch;

/// Wall time of a survey unless asked otherwise: with start and rendering it stays within three seconds.
const SURVEY: Duration = Duration::from_millis(2800);

/// Does what the command line asks.
///
/// # Errors
/// Whatever ends the program other than well; it has the exit code.
pub fn dispatch(cli: &Cli) -> Result<(), Failure> {
    match &cli.command {
        None => survey::run(cli),
        Some(Command::List) => list::run(cli),
        Some(Command::Deltas { clock, raw, all_rows }) => deltas::run(cli, clock, *raw, *all_rows),
        Some(Command::Sweep { change_clocksource }) => sweep::run(cli, *change_clocksource),
        Some(Command::Skew { cpus }) => skew::run(cli, cpus.as_ref()),
        Some(Command::Doctor) => doctor::run(cli),
        Some(Command::Explain { code }) => explain::run(cli, code.as_deref()),
        Some(Command::Completions { shell }) => generate::completions(&cli.output, *shell),
        Some(Command::Man { command }) => generate::man(&cli.output, command.as_deref()),
    }
}

/// Prints a whole result to where it was asked for.
fn print(output: &OutputArgs, text: &str) -> Result<(), Failure> {
    Destination::open(output.output.as_deref())?.put(text)
}

/// Takes the signals over, or says that Ctrl-C will lose the results.
fn signals() -> Signals {
    Signals::install().unwrap_or_else(|error| {
        warn(&format!("an interrupted run will print nothing, as its signals can't be caught: {error}"));
        Signals::default()
    })
}

/// A line on standard error.
fn warn(text: &str) {
    // Not `eprintln!`, which panics when stderr is closed or full.
    let _ = writeln!(std::io::stderr(), "clockscope: {text}");
}

/// Surveys, with a progress bar, until it is done or a signal comes.
fn measure(cli: &Cli, watch: &mut Watch) -> Result<Record, Failure> {
    let record = clockscope_engine::survey::run(&cli.measure.options(SURVEY), watch);
    watch.clear();
    Ok(record?)
}

/// The end of a run that a signal may have cut short; what there was has been printed.
fn ended(signal: Option<i32>) -> Result<(), Failure> {
    signal.map_or(Ok(()), |number| Err(Failure::Signal(number)))
}

/// A value as JSON.
fn to_json<T: serde::Serialize>(value: &T) -> Result<String, Failure> {
    crate::render::json::json(value)
        .map_err(|error| Failure::Machine(format!("can't write the result as JSON: {error}")))
}
