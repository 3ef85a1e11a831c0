//! `clockscope analyze FILE`: what the run made that wrote the trace, made again.

use std::path::PathBuf;

use clockscope_analysis::{Conclusion, conclude};

use super::steps;
use crate::args::{Call, Gate};
use crate::failure::Failure;
use crate::render::{Format, csv, looks, report};

const ANALYZE: &str = "\
Examples:
  clockscope --trace survey.trace                   survey, and keep what was seen
  clockscope analyze survey.trace                   the same survey again, months later, elsewhere
  clockscope analyze survey.trace --format json     as a record
  clockscope doctor survey.trace                    its findings

A trace holds readings of clocks and what `clockscope` prints of the machine, and nothing else: no names (but \
the host's, if --hostname was given), no files, no addresses. docs/trace.md tells all of it.";

/// Make of a trace what the run made that wrote it: the same figures, findings and verdict, on any machine
#[derive(Debug, clap::Args)]
#[command(after_help = ANALYZE)]
pub struct Analyze {
    /// The trace that --trace wrote; - is standard input
    file: PathBuf,
    /// Of a survey: costs in cycles of the CPU's counter instead of nanoseconds
    #[arg(long)]
    cycles: bool,
    #[command(flatten)]
    gate: Gate,
}

impl Analyze {
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        let cli = &Call { cycles: self.cycles, gate: self.gate.clone(), ..cli.clone() };
        let sink = steps::sink(cli)?;
        let format = cli.output.format()?;
        // What a watch wrote as it went on comes first here as well.
        let mut lines = String::new();
        let analysis = steps::trace(cli, &self.file, |analysis| match format {
            Format::Csv | Format::Jsonl => {
                lines += &looks::look(&analysis.monitor_rows(), format, cli.output.view());
            }
            _ => {}
        })?;
        let none = || Failure::Usage(format!("{} is a trace of no clock", self.file.display()));
        let conclusion = conclude(&analysis).ok_or_else(none)?;
        let text = match (&conclusion, format) {
            (Conclusion::Monitor(_), Format::Csv) => csv::look_header_line() + &lines,
            _ => lines + &steps::text(cli, report::of(&conclusion))?,
        };
        sink.finish_with(&text)?;
        steps::gate(cli, conclusion.findings())
    }
}
