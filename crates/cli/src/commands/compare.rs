//! `clockscope compare A B`: what changed between records.

use std::path::PathBuf;

use clap::ValueEnum;
use clockscope_analysis::compare::{Given, Options, compare};
use clockscope_analysis::record::{CompareReport, Outcome, Passing, Record, Tool};
use clockscope_analysis::text::count;
use clockscope_engine::catalog::names::meaning;

use super::{Refused, steps};
use crate::args::{Call, code, counts, share};
use crate::failure::Failure;
use crate::record_file::{once, place, read_all};
use crate::render::compare::called;

const HELP: &str = "\
Examples:
  clockscope compare before.json after.json         what changed beyond both runs' own uncertainty
  clockscope compare before.json after.json --fail-on worse
  clockscope compare before.json after.json other.json   each against the first
  clockscope compare a1.json a2.json a3.json a4.json --with b1.json b2.json b3.json b4.json
  clockscope compare before after --clock monotonic   two directories: all records in each
  clockscope compare before.trace after.trace --format json

Files are records (`clockscope --output FILE.json`), several of them in one (.jsonl), or traces (`clockscope --trace FILE`); - is \
standard input. docs/compare.md tells how to read the table.";

pub(super) const REFUSED: &[Refused] = &[
    ("--ref", "compare reads records and measures nothing; leave out --ref"),
    ("--cpu", "compare reads records and measures nothing; leave out --cpu"),
    ("--time", "compare reads records and measures nothing; leave out --time"),
    ("--reads", "compare reads records and measures nothing; leave out --reads"),
    ("--trace", "compare reads records and measures nothing; leave out --trace"),
    ("--hostname", "compare reads records and measures nothing; leave out --hostname"),
    ("--machine-id", "compare reads records and measures nothing; leave out --machine-id"),
];

/// Hold records or traces against each other: which machine facts, findings and figures changed
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Compare {
    /// Two records or more, each held against the first; a directory is all records in it. With --with: those of before
    #[arg(required = true, value_name = "RECORD")]
    before: Vec<PathBuf>,
    /// Several records a side: those of after, each side being taken as one
    #[arg(long, value_name = "RECORD", num_args = 1..)]
    with: Vec<PathBuf>,
    /// The least effect that counts, as 2% or 0.02
    #[arg(long, value_name = "SHARE", default_value = "2%", value_parser = share, allow_hyphen_values = true)]
    least: f64,
    /// End with exit code 1 where a figure changed, got worse, or a finding came that tells of more than the run: changed, worse,
    /// finding; separated by commas
    #[arg(long, value_name = "WHAT", value_enum, value_delimiter = ',', hide_possible_values = true)]
    fail_on: Vec<FailOn>,
    /// Findings that --fail-on lets pass, as CS009 or 9; repeatable, or separated by commas
    #[arg(long, value_name = "CODE", value_delimiter = ',', requires = "fail_on", value_parser = code)]
    ignore: Vec<String>,
}

/// What makes a comparison fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// A figure that changed
    Changed,
    /// A figure that changed for the worse
    Worse,
    /// A finding that came
    Finding,
}

/// Records with the names of their files.
type Named = Vec<(String, Record)>;

impl Compare {
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        steps::refuse(cli, REFUSED)?;
        let sink = steps::sink(cli)?;
        let groups = self.groups()?;
        let options = options(cli, self.least, &groups)?;
        let groups: Vec<Vec<Given<'_>>> =
            groups.iter().map(|group| group.iter().map(|(file, record)| Given { file, record }).collect()).collect();
        let tool = Tool { name: "clockscope".into(), version: env!("CARGO_PKG_VERSION").into() };
        let report = compare(tool, &groups, &options);
        sink.finish_with(&steps::text(cli, &report)?)?;
        self.gate(&report)
    }

    /// The sides: of --with two, else one a file or directory.
    fn groups(&self) -> Result<Vec<Named>, Failure> {
        once(self.before.iter().chain(&self.with))?;
        let named = |paths: &[PathBuf]| -> Result<Named, Failure> {
            Ok(read_all(paths)?.into_iter().map(|(path, record)| (place(&path), record)).collect())
        };
        if !self.with.is_empty() {
            return Ok(vec![named(&self.before)?, named(&self.with)?]);
        }
        if self.before.len() < 2 {
            let why = "a record is compared with another one: name a second, or those of after by --with";
            return Err(Failure::Usage(why.into()));
        }
        self.before.iter().map(|path| named(std::slice::from_ref(path))).collect()
    }

    /// Whether what was found is to make it fail.
    fn gate(&self, report: &CompareReport) -> Result<(), Failure> {
        let asks = |what| self.fail_on.contains(&what);
        let changed = report.rows().filter(|row| row.result == Outcome::Changed);
        let worse = report.rows().filter(|row| row.worse == Some(true));
        let came = report.comparisons.iter().flat_map(|comparison| &comparison.came);
        let stops = |it: &&Passing| counts(&it.code, it.of_run, it.usual, &self.ignore);
        let mut why = Vec::new();
        if asks(FailOn::Changed) {
            why.extend(said("changed", &changed.map(called).collect::<Vec<_>>()));
        }
        if asks(FailOn::Worse) {
            why.extend(said("worse", &worse.map(called).collect::<Vec<_>>()));
        }
        if asks(FailOn::Finding) {
            why.extend(said("new", &came.filter(stops).map(|it| it.code.clone()).collect::<Vec<_>>()));
        }
        if !why.is_empty() {
            return Err(Failure::Found(format!("{} (--fail-on)", why.join("; "))));
        }
        if asks(FailOn::Worse) && report.comparisons.iter().any(|comparison| comparison.different_machines) {
            return Err(Failure::Usage(
                "the records are of different machines, of which none is worse: --fail-on worse can't be answered; \
                 --fail-on changed can"
                    .into(),
            ));
        }
        Ok(())
    }
}

/// The first of what was found and how many more there are.
fn said(how: &str, all: &[String]) -> Option<String> {
    (!all.is_empty()).then(|| format!("{how}: {}", clockscope_analysis::text::shortened(all, 5)))
}

/// What is compared; a clock that no record has is wrong usage.
fn options(cli: &Call, least: f64, groups: &[Named]) -> Result<Options, Failure> {
    let clocks: Vec<String> = cli.measure.options(None).clocks.iter().map(|name| meaning(name).id).collect();
    let is_there =
        |id: &str| groups.iter().flatten().any(|(_, record)| record.clocks.iter().any(|clock| clock.id == id));
    if let Some(unknown) = clocks.iter().find(|id| !is_there(id)) {
        let records = count(groups.iter().map(|group| group.len() as u64).sum(), "record");
        return Err(Failure::Usage(format!("no clock '{unknown}' is in any of the {records}")));
    }
    Ok(Options { least, clocks, forced: cli.all })
}
