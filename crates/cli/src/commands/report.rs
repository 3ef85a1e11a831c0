//! `clockscope report`: records as a page for a browser.

use std::path::PathBuf;

use clockscope_analysis::Conclusion;
use clockscope_analysis::record::Record;
use clockscope_engine::survey::SURVEY;

use super::steps;
use crate::args::Call;
use crate::failure::Failure;
use crate::record_file::{once, place, read_all};
use crate::render::html;
use crate::sink::Sink;

const HELP: &str = "\
Examples:
  clockscope report --output report.html                      measure here, and report
  clockscope report before.json after.json -o report.html     of records
  clockscope report before.trace -o report.html               of a trace

The page needs no network and nothing beside it; it prints, and without JavaScript it shows all but the plots. Records have \
plots of all kinds if they were made with --series; traces always do. docs/report.md tells how to read it.";

/// Write a page for a browser: machine, verdict, clocks and findings, and plots of what they rest on
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Report {
    /// Records (JSON) or traces to show instead of this machine; directories of them; - is standard input
    #[arg(value_name = "RECORD")]
    records: Vec<PathBuf>,
}

impl Report {
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        if cli.output.format.is_some() {
            let why = "report writes HTML; leave out --format, or take another command for another format";
            return Err(Failure::Usage(why.into()));
        }
        once(&self.records)?;
        let sink = Sink::whole(cli.output.output.as_deref())?;
        if self.records.is_empty() {
            let mut watch = steps::watch(cli)?;
            let analysis = steps::machine(&SURVEY, &cli.measure.options(None), &mut watch)?;
            let cli = &Call { series: true, ..cli.clone() };
            let Some(Conclusion::Survey(record)) = steps::concluded(cli, &analysis) else {
                return Err(steps::nothing());
            };
            sink.finish_with(&html::page(&[("this machine".into(), record)]))?;
            return watch.finish();
        }
        steps::only_reads(cli)?;
        let records: Vec<(String, Record)> =
            read_all(&self.records)?.into_iter().map(|(path, record)| (place(&path), record)).collect();
        sink.finish_with(&html::page(&records))
    }
}
