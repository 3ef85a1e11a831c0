//! `clockscope analyze FILE`: what the run made that wrote the trace, made again; or what samples of another program come to.

use std::path::PathBuf;

use clap::ValueEnum;
use clockscope_analysis::Conclusion;
use clockscope_analysis::samples::{Format as Written, Options, unit_ns};

use super::steps;
use crate::args::{Call, Gate};
use crate::failure::{Failure, warn};
use crate::render::{Format, csv, looks, report};
use crate::samples_file;
use crate::sink::Sink;
use crate::trace_file::Input;

const ANALYZE: &str = "\
Examples:
  clockscope --trace survey.trace                   survey, and keep what was seen
  clockscope analyze survey.trace                   the same survey again, months later, elsewhere
  clockscope analyze survey.trace --format json     as a record
  clockscope doctor survey.trace                    its findings
  clockscope analyze samples.txt                    readings of any program, as 'label value' lines
  clockscope analyze samples.csv --column ticks --tick 1/10000000
  clockscope analyze samples.u64 --input u64le      64-bit numbers, the lowest byte first

A trace holds readings of clocks and what `clockscope` prints of the machine, and nothing else: no names (but \
the host's, if --hostname was given), no files, no addresses. docs/trace.md tells all of it, docs/samples.md what samples are.";

/// Make of a trace what the run made that wrote it: the same figures, findings and verdict, on any machine; or tell quantum, order and gaps of samples that another program wrote
#[derive(Debug, clap::Args)]
#[command(after_help = ANALYZE)]
pub struct Analyze {
    /// The trace that --trace wrote, or samples; - is standard input
    file: PathBuf,
    /// Of a survey: costs in cycles of the CPU's counter instead of nanoseconds
    #[arg(long)]
    cycles: bool,
    /// Of a survey: put into the record what its figures were made of (JSON only)
    #[arg(long)]
    series: bool,
    #[command(flatten)]
    samples: SampleArgs,
    #[command(flatten)]
    gate: Gate,
}

/// How samples are to be taken.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Samples")]
struct SampleArgs {
    /// What the file is: trace, text, csv or u64le [default: by its first bytes, a trace, CSV or text]
    #[arg(long, value_name = "KIND", value_enum, hide_possible_values = true)]
    input: Option<Kind>,
    /// What one unit of the values is, in seconds: 1/10000000, 1e-7 [default: what the file states, else 1 ns]
    #[arg(long, value_name = "SECONDS", value_parser = unit_ns, allow_hyphen_values = true)]
    tick: Option<f64>,
    /// The column of a CSV file that has the values [default: value, or the only one]
    #[arg(long, value_name = "NAME")]
    column: Option<String>,
    /// Only the samples of this label; of samples without labels, their name
    #[arg(long, value_name = "LABEL")]
    label: Option<String>,
    /// The values are differences of adjacent readings, as `clockscope deltas --raw` writes them
    #[arg(long)]
    deltas: bool,
    /// Where a line is bad, print what stood before it; the exit code stays 2
    #[arg(long)]
    keep_going: bool,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// What --trace wrote
    Trace,
    /// 'label value' lines, or values alone
    Text,
    /// With a header
    Csv,
    /// 64-bit numbers
    U64le,
}

impl SampleArgs {
    /// The first that was given.
    fn given(&self) -> Option<&'static str> {
        let Self { input, tick, column, label, deltas, keep_going } = self;
        let is_samples = input.is_some_and(|input| input != Kind::Trace);
        let given = [
            ("--input", is_samples),
            ("--tick", tick.is_some()),
            ("--column", column.is_some()),
            ("--label", label.is_some()),
            ("--deltas", *deltas),
            ("--keep-going", *keep_going),
        ];
        given.into_iter().find_map(|(option, is_given)| is_given.then_some(option))
    }

    fn options(&self) -> Options {
        let format = match self.input {
            Some(Kind::Text) => Some(Written::Text),
            Some(Kind::Csv) => Some(Written::Csv),
            Some(Kind::U64le) => Some(Written::U64le),
            Some(Kind::Trace) | None => None,
        };
        let (column, label) = (self.column.clone(), self.label.clone());
        Options { format, unit_ns: self.tick, column, label, are_differences: self.deltas }
    }
}

impl Analyze {
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        let cli = &Call { cycles: self.cycles, series: self.series, gate: self.gate.clone(), ..cli.clone() };
        steps::series_fit(cli)?;
        steps::only_reads(cli)?;
        let sink = steps::sink(cli)?;
        let mut input = Input::open(&self.file)?;
        if input.first()?.is_empty() {
            let way_out = "`clockscope --trace FILE` writes a trace, and docs/samples.md says what samples look like";
            return Err(Failure::Usage(format!("{} is empty; {way_out}", input.place)));
        }
        let first = input.first()?;
        // gzip, MessagePack being within; JSON is a result, which the reader of traces refuses.
        let is_trace = matches!(first, [0x1f, 0x8b, ..] | [b'{' | b'[', ..]);
        let is_guess = matches!(first, [b'{' | b'[', ..]) && self.samples.input.is_none();
        if self.samples.input.map_or(is_trace, |input| input == Kind::Trace) {
            let done = match self.samples.given() {
                Some(option) => {
                    Err(Failure::Usage(format!("{option} is for samples, and {} is none; leave it out", input.place)))
                }
                None => self.trace(cli, sink, input),
            };
            // A label may begin so as well.
            return done.map_err(|failure| match failure {
                Failure::Usage(why) if is_guess => Failure::Usage(format!("{why}; or, for samples, --input text")),
                other => other,
            });
        }
        self.samples(cli, sink, input)
    }

    fn samples(&self, cli: &Call, sink: Sink, input: Input) -> Result<(), Failure> {
        let (samples, bad) = samples_file::read(input, self.samples.options())?;
        let Some(why) = bad else { return sink.finish_with(&steps::text(cli, &samples)?) };
        let failure = Failure::Usage(why);
        if !self.samples.keep_going || samples.clocks.iter().all(|clock| clock.samples == 0) {
            return Err(failure);
        }
        warn("what follows is of what stood before the bad place");
        sink.finish_with(&steps::text(cli, &samples)?)?;
        Err(failure)
    }

    fn trace(&self, cli: &Call, sink: Sink, input: Input) -> Result<(), Failure> {
        let format = cli.output.format()?;
        // What a watch wrote as it went on comes first here as well.
        let mut lines = String::new();
        let analysis = steps::trace(cli, input, |analysis| match format {
            Format::Csv | Format::Jsonl => {
                lines += &looks::look(&analysis.monitor_rows(), format, cli.output.view());
            }
            _ => {}
        })?;
        let none = || Failure::Usage(format!("{} is a trace of no clock", self.file.display()));
        let conclusion = steps::concluded(cli, &analysis).ok_or_else(none)?;
        let text = match (&conclusion, format) {
            (Conclusion::Monitor(_), Format::Csv) => csv::look_header_line() + &lines,
            _ => lines + &steps::text(cli, report::of(&conclusion))?,
        };
        sink.finish_with(&text)?;
        steps::gate(cli, conclusion.findings())
    }
}
