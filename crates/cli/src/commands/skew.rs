//! `clockscope skew`: by how much the CPUs disagree.

use std::time::Duration;

use clockscope_engine::survey;

use crate::args::{Cli, CpuList, Format};
use crate::failure::Failure;
use crate::render::{View, csv, skew as render};
use crate::sink::Destination;
use crate::watch::Watch;

/// How long to compare unless asked otherwise.
const TIME: Duration = Duration::from_secs(1);

/// Compares the clocks between the CPUs and prints what came of it.
pub(super) fn run(cli: &Cli, cpus: Option<&CpuList>) -> Result<(), Failure> {
    if cli.measure.reads.is_some() {
        return Err(Failure::Usage(
            "skew compares for a time, not for a number of reads; take --time, as in `clockscope skew --time 5s`"
                .into(),
        ));
    }
    let destination = Destination::open(cli.output.output.as_deref())?;
    let mut watch = Watch::new(&cli.output, super::signals());
    let options = cli.measure.options(TIME);
    let report = survey::skew(&options.clocks, cpus.map(|list| list.0.as_slice()), &options, &mut watch);
    watch.clear();
    let report = report?;
    let text = match cli.output.format() {
        Format::Json => super::to_json(&report)?,
        Format::Csv => csv::skew(&report.clocks),
        Format::Markdown => render::markdown(&report),
        Format::Table => render::skew(&report, View::of(&cli.output)),
    };
    destination.put(&text)?;
    super::ended(watch.signal())
}
