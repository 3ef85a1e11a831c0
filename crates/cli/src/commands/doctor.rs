//! `clockscope doctor`: findings only, with fixes.

use crate::args::{Cli, Format};
use crate::failure::Failure;
use crate::render::{View, csv, markdown, survey};
use crate::sink::Destination;
use crate::watch::Watch;

/// Surveys the machine and prints what is wrong.
pub(super) fn run(cli: &Cli) -> Result<(), Failure> {
    let destination = Destination::open(cli.output.output.as_deref())?;
    let mut watch = Watch::new(&cli.output, super::signals());
    let record = super::measure(cli, &mut watch)?;
    let text = match cli.output.format() {
        Format::Json => super::to_json(&record.findings)?,
        Format::Csv => csv::findings(&record.findings),
        Format::Markdown => markdown::findings(&record.findings),
        Format::Table => survey::doctor(&record, View::of(&cli.output)),
    };
    destination.put(&text)?;
    super::ended(watch.signal())
}
