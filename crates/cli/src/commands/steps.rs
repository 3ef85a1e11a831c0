//! The steps that commands share: from this machine or a trace to an analysis, and from there to what is printed.

use clockscope_analysis::analyze::Analysis;
use clockscope_analysis::record::Finding;
use clockscope_analysis::{Conclusion, conclude};
use clockscope_engine::catalog::names::meaning;
use clockscope_engine::session::Options;
use clockscope_engine::survey::{self, Plan};

use super::Refused;
use crate::args::Call;
use crate::failure::{Failure, warn};
use crate::render::{Format, Report, Style, report};
use crate::signals::Signals;
use crate::sink::Sink;
use crate::trace_file::{self, Input};
use crate::watch::Watch;

/// Takes the signals over, or says that Ctrl-C will lose the results.
pub(super) fn signals() -> Signals {
    Signals::install().unwrap_or_else(|error| {
        warn(&format!("an interrupted run will print nothing, as its signals can't be caught: {error}"));
        Signals::default()
    })
}

/// Who watches a run of this machine: the progress bar, the signals, and the trace's file if one is asked for.
pub(super) fn watch(cli: &Call) -> Result<Watch, Failure> {
    let trace = cli.measure.trace.as_deref().map(trace_file::Writer::create).transpose()?;
    Ok(Watch::new(&cli.output, signals(), trace))
}

/// Refuses what the command does not take, with the reason.
pub(super) fn refuse(cli: &Call, refused: &[Refused]) -> Result<(), Failure> {
    let first = refused.iter().find(|(option, _)| cli.measure.given().any(|given| given == *option));
    first.map_or(Ok(()), |(_, why)| Err(Failure::Usage((*why).to_owned())))
}

/// Says which clock is taken for a name of another language or system.
pub(super) fn tell_names(options: &Options) {
    options.clocks.iter().chain(&options.reference).filter_map(|name| meaning(name).note).for_each(|note| warn(&note));
}

/// The place for a whole result, for which there has to be a format.
pub(super) fn sink(cli: &Call) -> Result<Sink, Failure> {
    cli.output.format()?;
    Sink::whole(cli.output.output.as_deref())
}

/// Measures this machine until it is done or a signal comes.
pub(super) fn machine(plan: &Plan, options: &Options, watch: &mut Watch) -> Result<Analysis, Failure> {
    tell_names(options);
    let analysis = survey::run(plan, options, watch);
    watch.clear();
    if analysis.is_err() {
        watch.keep();
    }
    Ok(analysis?)
}

/// Refuses what is for measuring, where a file is read.
pub(super) fn only_reads(cli: &Call) -> Result<(), Failure> {
    cli.measure.given().next().map_or(Ok(()), |option| {
        let why = format!("{option} is for measuring this machine, and here a trace is read; leave it out");
        Err(Failure::Usage(why))
    })
}

/// Reads a trace; `looked` is told of each look at watched clocks. Where it ends early, what there is of it counts, and a warning says so.
pub(super) fn trace(cli: &Call, input: Input, looked: impl FnMut(&Analysis)) -> Result<Analysis, Failure> {
    only_reads(cli)?;
    let place = input.place.clone();
    let (analysis, early) = trace_file::analyze(input, looked)?;
    if let Some(why) = early {
        warn(&why);
    }
    match analysis.refusal() {
        Some(why) => Err(Failure::Machine(format!("{place}: {why}"))),
        None => Ok(analysis),
    }
}

/// Prints a whole result to where it was asked for.
pub(super) fn print(cli: &Call, text: &str) -> Result<(), Failure> {
    Sink::whole(cli.output.output.as_deref())?.finish_with(text)
}

/// Measures this machine and prints what it comes to.
pub(super) fn measured(cli: &Call, plan: &Plan, options: &Options) -> Result<(), Failure> {
    measured_by(cli, plan, options, sink(cli)?, watch(cli)?)
}

/// The same, with who watches.
pub(super) fn measured_by(
    cli: &Call,
    plan: &Plan,
    options: &Options,
    sink: Sink,
    mut watch: Watch,
) -> Result<(), Failure> {
    let analysis = machine(plan, options, &mut watch)?;
    ended(cli, sink, watch, &concluded(cli, &analysis).ok_or_else(nothing)?)
}

/// What a run comes to, with the series if they are asked for.
pub(super) fn concluded(cli: &Call, analysis: &Analysis) -> Option<Conclusion> {
    let conclusion = conclude(analysis)?;
    Some(if cli.series { conclusion.with_series(analysis) } else { conclusion })
}

/// Refuses series in a format that has no room for them.
pub(super) fn series_fit(cli: &Call) -> Result<(), Failure> {
    match cli.output.format()? {
        Format::Json | Format::Jsonl => Ok(()),
        _ if !cli.series => Ok(()),
        _ => Err(Failure::Usage(
            "--series is for JSON alone: add --format json, or write to a file: -o FILE.json".into(),
        )),
    }
}

/// Prints what a run came to, and ends it as its findings ask for.
pub(super) fn ended(cli: &Call, sink: Sink, watch: Watch, conclusion: &Conclusion) -> Result<(), Failure> {
    sink.finish_with(&text(cli, report::of(conclusion))?)?;
    watch.finish()?;
    gate(cli, conclusion.findings())
}

/// Whether what was found is to make the run fail.
pub(super) fn gate(cli: &Call, findings: &[Finding]) -> Result<(), Failure> {
    let stops = cli.gate.stops(findings);
    if stops.is_empty() { Ok(()) } else { Err(Failure::Found(format!("found {} (--fail-on)", stops.join(", ")))) }
}

/// There is nothing to print.
pub(super) fn nothing() -> Failure {
    Failure::Machine("no clock was read".into())
}

/// A result in the format asked for.
pub(super) fn text(cli: &Call, shown: &dyn Report) -> Result<String, Failure> {
    let asked = !cli.measure.clock.is_empty();
    let style = Style { all: cli.all, asked, cycles: cli.cycles, view: cli.output.view() };
    Ok(cli.output.format()?.text(shown, style))
}
