//! `clockscope monitor`: watches clocks until it is stopped.

use std::io::{IsTerminal, stdin, stdout};
use std::time::Duration;

use clockscope_analysis::conclude;
use clockscope_engine::session::Options;
use clockscope_engine::survey::MONITOR;

use super::{Refused, steps};
use crate::args::{Call, duration};
use crate::failure::Failure;
use crate::live::Live;
use crate::render::{Format, report};
use crate::sink::Sink;
use crate::watch::Rows;

/// Shortest interval: a look at some clocks takes a tenth of it.
const SHORTEST: Duration = Duration::from_millis(10);
/// The interval unless asked otherwise.
const USUAL: Duration = Duration::from_secs(1);

const MONITOR_HELP: &str = "\
Examples:
  clockscope monitor                                    counter and kernel's, against monotonic
  clockscope monitor --clock tsc,realtime --ref monotonic-raw
                                                        what NTP does to the wall clock
  clockscope monitor --every 100ms --format jsonl --output watch.jsonl
                                                        a line a clock and look, at last the report

Without --time it goes on until Ctrl-C, then prints what it found. On a terminal it draws rates and offsets as they come \
(q ends it, arrow keys or Tab choose the clock); --plain, a pipe, or another format gives lines. json and markdown have the \
report alone. A step or slew that the kernel's NTP state explains is called that.";

pub(super) const REFUSED: &[Refused] = &[(
    "--reads",
    "monitor watches for a time, not for a number of reads; take --time, as in `clockscope monitor --time 5s`",
)];

/// Watch clocks against the reference for as long as you like: rates, steps, slews, faults, stability
#[derive(Debug, clap::Args)]
#[command(after_help = MONITOR_HELP)]
pub struct Monitor {
    /// Time between two looks, from 10ms to an hour [default: 1s, or a tenth of a shorter --time]
    #[arg(long, value_name = "DURATION", value_parser = duration, allow_hyphen_values = true)]
    every: Option<Duration>,
    /// Lines instead of the live view
    #[arg(long)]
    plain: bool,
}

impl Monitor {
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        steps::refuse(cli, REFUSED)?;
        let time = cli.measure.time.unwrap_or(Options::UNTIL_STOPPED);
        let usual = if time < USUAL { (time / 10).max(SHORTEST) } else { USUAL };
        let every = self.every.unwrap_or(usual);
        if every < SHORTEST || every > Duration::from_secs(3600) {
            return Err(Failure::Usage("--every is from 10ms to 1h, as in `clockscope monitor --every 100ms`".into()));
        }
        let format = cli.output.format()?;
        if time < every {
            let why = "--time is shorter than --every, so that there would be one look: make the interval shorter, as in \
                       `clockscope monitor --time 1s --every 100ms`";
            return Err(Failure::Usage(why.into()));
        }
        let options = Options { every, ..cli.measure.options(Some(Options::UNTIL_STOPPED)) };
        let view = cli.output.view();
        let is_live = format == Format::Table
            && cli.output.output.is_none()
            && !self.plain
            && !cli.output.no_progress
            && stdout().is_terminal()
            && stdin().is_terminal();
        let sink = Sink::in_pieces(cli.output.output.as_deref())?;
        let watch = steps::watch(cli)?.without_bar();
        let mut watch = if is_live {
            watch.with_live(Live::start(view)?, sink)
        } else {
            watch.with_rows(Rows::Looks(format, view), sink, "")
        };
        let analysis = steps::machine(&MONITOR, &options, &mut watch)?;
        let conclusion = conclude(&analysis).ok_or_else(steps::nothing)?;
        watch.end_live();
        // A stream of CSV has its columns; what it comes to is another table.
        if format != Format::Csv {
            let text = steps::text(cli, report::of(&conclusion))?;
            watch.put(&if format == Format::Table && !is_live { format!("\n{text}") } else { text });
        }
        watch.finish_rows(|| None)?;
        match watch.finish() {
            // The end that was asked for.
            Err(Failure::Signal(_)) if options.time == Options::UNTIL_STOPPED => Ok(()),
            finished => finished,
        }
    }
}
