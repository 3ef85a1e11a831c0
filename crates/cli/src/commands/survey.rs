//! `clockscope`: the survey.

use crate::args::{Cli, Format};
use crate::failure::Failure;
use crate::render::{View, csv, markdown, survey};
use crate::sink::{Destination, Stream};
use crate::watch::Watch;

/// Surveys the machine and prints the record.
pub(super) fn run(cli: &Cli) -> Result<(), Failure> {
    if cli.output.format() == Format::Csv {
        return streamed(cli);
    }
    let destination = Destination::open(cli.output.output.as_deref())?;
    let mut watch = Watch::new(&cli.output, super::signals());
    let record = super::measure(cli, &mut watch)?;
    let text = match cli.output.format() {
        Format::Json => super::to_json(&record)?,
        Format::Csv => csv::clocks(&record.clocks),
        Format::Markdown => markdown::survey(&record),
        Format::Table => survey::survey(&record, cli.all, View::of(&cli.output)),
    };
    destination.put(&text)?;
    super::ended(watch.signal())
}

/// The survey as CSV, each row written when its clock is finished.
fn streamed(cli: &Cli) -> Result<(), Failure> {
    let stream = Stream::open(cli.output.output.as_deref())?;
    let mut watch = Watch::new(&cli.output, super::signals()).with_rows(stream);
    let record = super::measure(cli, &mut watch)?;
    let signal = watch.signal();
    if let Some(stream) = watch.into_rows(&record.clocks) {
        stream.finish(|| Some(csv::clocks(&record.clocks)))?;
    }
    super::ended(signal)
}
