//! What can be asked of any command, and the help that says so.

mod code;
mod duration;
mod ending;
mod gate;
mod number;

use std::io::{IsTerminal, stdout};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use clockscope_engine::session::Options;

pub use code::parse as code;
pub use duration::parse as duration;
pub use gate::{Gate, counts};
pub use number::share;

use crate::failure::Failure;
use crate::render::{Format, View};

/// How to measure.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Measuring")]
pub struct MeasureArgs {
    /// Clocks to survey or compare, as tsc, CLOCK_TAI or nanoTime; repeatable, or separated by commas [default: all; skew, threads: the counter and monotonic; span: the counters and monotonic; monitor: the counter and the kernel's; frequency: the kernel's and the devices']
    #[arg(long, value_name = "ID", global = true, value_delimiter = ',')]
    pub clock: Vec<String>,
    /// Clock whose nanoseconds are used for all figures
    #[arg(
        long = "ref",
        value_name = "ID",
        global = true,
        help = "Clock whose nanoseconds are used for all figures [default: monotonic@vdso, or the next best]"
    )]
    pub reference: Option<String>,
    /// CPU to measure on [default: the last one that this process may use]
    #[arg(long, value_name = "N", global = true, value_parser = number::cpu, allow_hyphen_values = true)]
    pub cpu: Option<u32>,
    /// How long to measure: 1s, 500ms; a bare number is seconds; a survey needs some 0.7s in any case [default: 2.8s, in a sweep for each clocksource; deltas, skew: 1s; threads, frequency: 3s; span, interruptions: 5s; timers: 10s; monitor: until Ctrl-C]
    #[arg(long, value_name = "DURATION", global = true, value_parser = duration::parse, allow_hyphen_values = true)]
    pub time: Option<Duration>,
    /// How often to read each clock in the search for faults, in deltas, and by each pair of threads: 10000, 10k, 1e6 (of all clocks, half a minute);
    /// the rest of a survey goes by --time [default: as often as --time allows]
    #[arg(long, value_name = "N", global = true, value_parser = number::reads, allow_hyphen_values = true)]
    pub reads: Option<u64>,
    /// Seed of the random spacing between reads
    #[arg(long, value_name = "N", global = true, default_value_t = 1, value_parser = number::seed)]
    pub seed: u64,
    /// Write what was seen to this file, for `clockscope analyze`: some MB a second, 128 MiB at most
    #[arg(long, value_name = "FILE", global = true)]
    pub trace: Option<PathBuf>,
    /// Put the host's name into the record
    #[arg(long, global = true)]
    pub hostname: bool,
    /// Put a pseudonym of the machine into the record, to tell its records from others'
    #[arg(long, global = true)]
    pub machine_id: bool,
}

impl MeasureArgs {
    /// The names asked for; a list of nothing but commas asks for the clock '', which nobody has.
    fn clocks(&self) -> Vec<String> {
        let ids: Vec<String> = self.clock.iter().map(|id| id.trim().to_owned()).filter(|id| !id.is_empty()).collect();
        if ids.is_empty() { self.clock.iter().take(1).cloned().collect() } else { ids }
    }

    /// Those of these that were given.
    pub fn given(&self) -> impl Iterator<Item = &'static str> {
        let Self { clock, reference, cpu, time, reads, trace, hostname, machine_id, seed: _ } = self;
        let given = [
            ("--clock", !clock.is_empty()),
            ("--ref", reference.is_some()),
            ("--cpu", cpu.is_some()),
            ("--time", time.is_some()),
            ("--reads", reads.is_some()),
            ("--trace", trace.is_some()),
            ("--hostname", *hostname),
            ("--machine-id", *machine_id),
        ];
        given.into_iter().filter_map(|(option, given)| given.then_some(option))
    }

    /// The engine's options, `time` being the default if it is not a survey's.
    pub fn options(&self, time: Option<Duration>) -> Options {
        let rest = Options::default();
        Options {
            clocks: self.clocks(),
            reference: self.reference.clone(),
            cpu: self.cpu,
            time: self.time.or(time).unwrap_or(rest.time),
            reads: self.reads,
            seed: self.seed,
            hostname: self.hostname,
            machine_id: self.machine_id,
            ..rest
        }
    }
}

/// What to print and where.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Format of the result: table, json, jsonl, csv or markdown; of a check also junit or github, of an export parquet [default: table, or what the ending of --output's file says]
    #[arg(long, value_name = "FORMAT", global = true, value_enum, hide_possible_values = true)]
    pub format: Option<Format>,
    /// Write the result to this file instead of standard output
    #[arg(long, short, value_name = "FILE", global = true)]
    pub output: Option<PathBuf>,
    /// Show no progress bar (there is none off a terminal)
    #[arg(long, global = true)]
    pub no_progress: bool,
    /// When to use colour: auto, always or never; auto honours NO_COLOR and a terminal's absence
    #[arg(long, value_name = "WHEN", global = true, value_enum, hide_possible_values = true, default_value_t = Colour::Auto)]
    pub color: Colour,
}

impl OutputArgs {
    /// The format asked for, else the one that the output file's ending names, else the table.
    ///
    /// # Errors
    /// [`Failure::Usage`] for an ending that names none.
    pub fn format(&self) -> Result<Format, Failure> {
        let by_ending = || self.output.as_deref().map_or(Ok(Format::Table), ending::format);
        self.format.map_or_else(by_ending, Ok).map_err(Failure::Usage)
    }

    /// What is known of the place that the result is shown at: `COLUMNS` if set, else the terminal's width, else no
    /// limit, so that a pipe gets everything.
    pub fn view(&self) -> View {
        let to_terminal = self.output.is_none() && stdout().is_terminal();
        let asked = std::env::var("COLUMNS").ok().and_then(|text| text.trim().parse().ok());
        let terminal = terminal_size::terminal_size_of(stdout()).filter(|_| to_terminal);
        let (width, lines) = terminal.map(|(width, height)| (width.0.into(), height.0.into())).unzip();
        let colour = match self.color {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => to_terminal && anstream::AutoStream::choice(&stdout()) != anstream::ColorChoice::Never,
        };
        View::new(asked.filter(|width| *width > 0).or(width), lines, colour)
    }
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// What was asked for beside the command.
#[derive(Debug, Clone, Args)]
pub struct Call {
    /// Show all: forced ways of reading (monotonic@syscall …), what can't be read, and notes in full
    #[arg(long, short, global = true, help_heading = None::<&'static str>)]
    pub all: bool,
    /// How to measure.
    #[command(flatten)]
    pub measure: MeasureArgs,
    /// What to print and where.
    #[command(flatten)]
    pub output: OutputArgs,
    /// Costs in cycles; for the commands to fill in that can.
    #[arg(skip)]
    pub cycles: bool,
    /// What the figures were made of; for the commands to fill in that have it.
    #[arg(skip)]
    pub series: bool,
    /// What findings are to make the run fail; for the commands to fill in that have findings.
    #[arg(skip)]
    pub gate: Gate,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn parsed(args: &[&str]) -> Call {
        crate::Cli::try_parse_from([&["clockscope"], args].concat()).unwrap().call
    }

    #[test]
    fn clocks_are_separated_by_commas_or_repeated() {
        let parsed = parsed(&["--clock", "tsc, monotonic,", "--clock", "time"]);
        assert_eq!(parsed.measure.options(None).clocks, ["tsc", "monotonic", "time"]);
    }

    #[test]
    fn the_format_asked_for_overrides_the_files_ending() {
        for (args, format) in [
            (&[][..], Some(Format::Table)),
            (&["--output", "b.json"], Some(Format::Json)),
            (&["--output", "b.json", "--format", "csv"], Some(Format::Csv)),
            (&["--output", "b.yaml", "--format", "csv"], Some(Format::Csv)),
            (&["--output", "b.yaml"], None),
        ] {
            assert_eq!(parsed(args).output.format().ok(), format);
        }
    }
}
