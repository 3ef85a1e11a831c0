//! What can be asked for, and the help that says so.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clockscope_engine::session::Options;

use super::{cpus, duration};

const EXAMPLES: &str = "\
Examples:
  clockscope                            survey this machine: what each clock costs and resolves
  clockscope --clock tsc,monotonic      these two only
  clockscope --output survey.json       keep the whole record (the name's ending chooses the format)
  clockscope deltas monotonic           what differences do two adjacent reads show?
  clockscope skew                       do the CPUs agree on the time?
  clockscope doctor                     only what is wrong, why it matters and how to fix it
  clockscope explain CS001              the story behind a finding

Exit codes: 0 done, 2 wrong usage or bad input, 3 this machine does not allow it, 128 + n signal n.
Results go to standard output, progress and diagnostics to standard error.";

/// An instrument for clocks: what each one here costs, what it resolves, whether it can be trusted.
/// Without a command it surveys every clock of this machine in about three seconds.
#[derive(Debug, Parser)]
#[command(name = "clockscope", version, after_help = EXAMPLES, subcommand_help_heading = "Commands")]
#[command(max_term_width = 100, disable_help_subcommand = true)]
pub struct Cli {
    /// What to do instead of the survey.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Show every clock in one table, forced ways of reading (monotonic@syscall …) included
    #[arg(long, short)]
    pub all: bool,
    /// How to measure.
    #[command(flatten)]
    pub measure: MeasureArgs,
    /// What to print and where.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the clocks here, and those that can't be read here with the reason
    List,
    /// Show the histogram of one clock's adjacent differences
    #[command(after_help = DELTAS)]
    Deltas {
        /// The clock's id, as `clockscope list` shows it
        // An id of its own: the flag --clock is known in every command.
        #[arg(id = "deltas_clock", value_name = "CLOCK")]
        clock: String,
        /// Write each difference as a line `label value` instead: the clock's id and the difference in its own
        /// counts (ticks of a counter; ns, µs or s of a call). The size of a count goes to standard error
        #[arg(long, conflicts_with_all = ["format", "all_rows"])]
        raw: bool,
        /// Show a row for every difference seen, also the rarest
        #[arg(long)]
        all_rows: bool,
    },
    /// Survey under each of the kernel's clocksources in turn; the old one comes back (needs root)
    #[command(after_help = SWEEP)]
    Sweep {
        /// Change this machine's clocksource for the time of the sweep; without this it only says what it would do
        #[arg(long)]
        change_clocksource: bool,
    },
    /// Show by how much the CPUs disagree on the time, as messages between them prove it
    #[command(after_help = SKEW)]
    Skew {
        /// CPUs to compare, two or more, as in 0-3,8 [default: all that this process may use]
        #[arg(long, value_name = "LIST", value_parser = cpus::parse)]
        cpus: Option<cpus::List>,
    },
    /// Survey this machine, or take a trace of another one, and tell only what is wrong, why it matters and how to fix it
    Doctor {
        /// A trace to take instead of this machine; - is standard input
        trace: Option<PathBuf>,
    },
    /// Make of a trace what the run made that wrote it: the same figures, findings and verdict, on any machine
    #[command(after_help = ANALYZE)]
    Analyze {
        /// The trace that --trace wrote; - is standard input
        file: PathBuf,
    },
    /// Explain a finding by its code; without a code, list all codes
    Explain {
        /// The code, as in CS001
        code: Option<String>,
    },
    /// Print a shell's completion script
    #[command(after_help = COMPLETIONS)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page (roff), of the program or of one of its commands
    Man {
        /// A command's name
        command: Option<String>,
    },
}

const DELTAS: &str = "\
Examples:
  clockscope deltas monotonic
  clockscope deltas tsc --reads 1000000 --format csv
  clockscope deltas thread-cputime --raw > samples.txt
      read it by pandas.read_csv('samples.txt', sep=' ', names=['clock', 'counts'])

Rows under 0.01 % are folded into ranges; --all-rows shows each. JSON and CSV always have all of them.";

const SWEEP: &str = "\
Examples:
  clockscope sweep                                  say what would be done, and change nothing
  sudo clockscope sweep --change-clocksource
  sudo clockscope sweep --change-clocksource --clock monotonic --format csv

While it runs, every program here reads the clocksource being measured. The old one is written
back at the end, on an error, a panic, Ctrl-C, SIGTERM and SIGHUP; a second process does it should
this one be killed.

The table shows monotonic, realtime and monotonic-raw, or the clocks of --clock. JSON and CSV have
every clock that was read.";

const ANALYZE: &str = "\
Examples:
  clockscope --trace survey.trace                   survey, and keep what was seen
  clockscope analyze survey.trace                   the same survey again, months later, elsewhere
  clockscope analyze survey.trace --format json     as a record
  clockscope doctor survey.trace                    its findings

A trace holds readings of clocks and what `clockscope` prints of the machine, and nothing else: no names (but
the host's, if --hostname was given), no files, no addresses. docs/trace.md tells all of it.";

const SKEW: &str = "\
Examples:
  clockscope skew                                     the counter and monotonic, between all pairs of CPUs
  clockscope skew --clock monotonic-raw --time 5s     one clock, for longer: tighter intervals
  clockscope skew --cpus 0,8,16 --format json         three CPUs, for a program

An interval holds the offset for certain, whatever the delays. It is about as wide as a message takes there and
back, so offsets below that can't be seen, and no program that passes messages between the CPUs can see them either.
Every clock is read after all that stands before it: what is compared are the CPUs, not the order of instructions.";

const COMPLETIONS: &str = "\
Examples:
  clockscope completions bash > ~/.local/share/bash-completion/completions/clockscope
  clockscope completions zsh > ~/.zfunc/_clockscope
  clockscope completions fish > ~/.config/fish/completions/clockscope.fish";

/// How to measure.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Measuring")]
pub struct MeasureArgs {
    /// Clocks to survey or compare; repeatable, or separated by commas [default: all; skew: the counter and monotonic]
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
    #[arg(long, value_name = "N", global = true)]
    pub cpu: Option<u32>,
    /// How long to measure: 1s, 500ms; a bare number is seconds [default: 2.8s, in a sweep for each clocksource; deltas, skew: 1s]
    #[arg(long, value_name = "DURATION", global = true, value_parser = duration::parse)]
    pub time: Option<Duration>,
    /// Reads a clock in the search for faults, or in deltas, instead of a share of the time
    #[arg(long, value_name = "N", global = true, value_parser = clap::value_parser!(u64).range(2..))]
    pub reads: Option<u64>,
    /// Seed of the random spacing between reads
    #[arg(long, value_name = "N", global = true, default_value_t = 1)]
    pub seed: u64,
    /// Write what was seen to this file, for `clockscope analyze`: some MB a second, 128 MiB at most
    #[arg(long, value_name = "FILE", global = true)]
    pub trace: Option<PathBuf>,
    /// Put the host's name into the record
    #[arg(long, global = true)]
    pub hostname: bool,
}

impl MeasureArgs {
    /// The ids asked for; a list of nothing but commas asks for the clock '', which nobody has.
    fn clocks(&self) -> Vec<String> {
        let ids: Vec<String> =
            self.clock.iter().map(|id| id.trim().to_owned()).filter(|id| !id.is_empty()).collect();
        if ids.is_empty() { self.clock.iter().take(1).cloned().collect() } else { ids }
    }

    /// The engine's options, `time` being the default if it is not a survey's.
    pub fn options(&self, time: Option<Duration>) -> Options {
        let defaults = Options::default();
        Options {
            clocks: self.clocks(),
            reference: self.reference.clone(),
            cpu: self.cpu,
            cpus: None,
            time: self.time.or(time).unwrap_or(defaults.time),
            reads: self.reads,
            seed: self.seed,
            hostname: self.hostname,
        }
    }
}

/// What to print and where.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Format of the result: table, json, csv or markdown [default: table, or what the ending of --output's file says]
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
    pub fn format(&self) -> Format {
        let by_ending = || match self.output.as_deref()?.extension()?.to_str()? {
            "json" => Some(Format::Json),
            "csv" => Some(Format::Csv),
            "md" | "markdown" => Some(Format::Markdown),
            _ => None,
        };
        self.format.or_else(by_ending).unwrap_or(Format::Table)
    }
}

/// Formats of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people at a terminal
    Table,
    /// The whole record, as docs/record.schema.json describes it
    Json,
    /// One row a clock, written as each is finished
    Csv,
    /// For a page or an issue
    Markdown,
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn clocks_are_separated_by_commas_or_repeated() {
        let cli = Cli::try_parse_from(["clockscope", "--clock", "tsc,monotonic", "list", "--clock", "time"]);
        let plain =
            Cli::try_parse_from(["clockscope", "--clock", "tsc, monotonic,", "--clock", "time"]).unwrap();
        assert_eq!(plain.measure.options(None).clocks, ["tsc", "monotonic", "time"]);
        assert!(cli.is_ok());
    }

    #[test]
    fn the_files_ending_chooses_the_format() {
        let format =
            |args: &[&str]| Cli::try_parse_from([&["clockscope"], args].concat()).unwrap().output.format();
        assert_eq!(format(&[]), Format::Table);
        assert_eq!(format(&["--output", "a/b.json"]), Format::Json);
        assert_eq!(format(&["--output", "b.csv"]), Format::Csv);
        assert_eq!(format(&["--output", "b.md"]), Format::Markdown);
        assert_eq!(format(&["--output", "b.txt"]), Format::Table);
        assert_eq!(format(&["--output", "b.json", "--format", "csv"]), Format::Csv);
    }
}
