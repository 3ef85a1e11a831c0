//! Prints what a run or a trace comes to.

use std::io::Write;

use clockscope_analysis::conclude;
use clockscope_engine::session::Options;
use clockscope_engine::survey::Plan;

use super::source;
use crate::args::Call;
use crate::failure::Failure;
use crate::render::{Shown, Style};
use crate::sink::Sink;
use crate::watch::Watch;

/// Prints a whole result to where it was asked for.
pub(super) fn print(cli: &Call, text: &str) -> Result<(), Failure> {
    Sink::whole(cli.output.output.as_deref())?.finish_with(text)
}

/// Measures this machine and prints what it comes to.
pub(super) fn measured(cli: &Call, plan: &Plan, options: &Options) -> Result<(), Failure> {
    let sink = Sink::whole(cli.output.output.as_deref())?;
    let mut watch = source::watch(cli)?;
    let analysis = source::machine(plan, options, &mut watch)?;
    sink.finish_with(&text(cli, &conclude(&analysis).ok_or_else(nothing)?)?)?;
    ended(watch)
}

/// There is nothing to print.
pub(super) fn nothing() -> Failure {
    Failure::Machine("no clock was read".into())
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

/// A result in the format asked for.
pub(super) fn text<'a>(cli: &Call, shown: impl Into<Shown<'a>>) -> Result<String, Failure> {
    let style = Style { all: cli.all, asked: !cli.measure.clock.is_empty(), view: cli.output.view() };
    cli.output.format().text(shown.into(), style).map_err(Failure::Machine)
}
