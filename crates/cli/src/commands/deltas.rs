//! `clockscope deltas CLOCK`: the histogram of adjacent differences, or the differences themselves.

use std::io::Write;
use std::time::Duration;

use clockscope_engine::session::Options;
use clockscope_engine::survey::DELTAS;

use super::steps;
use crate::args::Call;
use crate::failure::Failure;
use crate::render::number;
use crate::sink::Sink;
use crate::watch::Rows;

/// How long to read unless asked otherwise.
const TIME: Duration = Duration::from_secs(1);

const DELTAS_HELP: &str = "\
Examples:
  clockscope deltas monotonic
  clockscope deltas tsc --reads 1000000 --format csv
  clockscope deltas thread-cputime --raw > samples.txt
      read it by pandas.read_csv('samples.txt', sep=' ', names=['clock', 'counts'])

Rows under 0.01 % are folded into ranges; --all-rows shows each. JSON and CSV always have all of them.";

/// Show the histogram of one clock's adjacent differences
#[derive(Debug, clap::Args)]
#[command(after_help = DELTAS_HELP)]
pub struct Deltas {
    /// The clock's id, as `clockscope list` shows it
    // An id of its own: the flag --clock is known in every command.
    #[arg(id = "deltas_clock", value_name = "CLOCK")]
    clock: String,
    /// Write each difference as a line `label value` instead: the clock's id and the difference in its own
    /// counts (ticks of a counter; ns, µs or s of a call). The size of a count goes to standard error
    #[arg(long, conflicts_with = "format")]
    raw: bool,
    /// Show a row for every difference seen, also the rarest
    #[arg(long, conflicts_with = "raw")]
    all_rows: bool,
}

impl Deltas {
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        let clock = &self.clock;
        if !cli.measure.clock.is_empty() {
            return Err(Failure::Usage(format!(
                "deltas reads the one clock that it is given; leave out --clock, as in `clockscope deltas {clock}`"
            )));
        }
        let options = Options { clocks: vec![clock.clone()], ..cli.measure.options(Some(TIME)) };
        if !self.raw {
            return steps::measured(&Call { all: self.all_rows, ..cli.clone() }, &DELTAS, &options);
        }
        let sink = Sink::in_pieces(cli.output.output.as_deref())?;
        let mut watch = steps::watch(cli)?.with_rows(Rows::Differences(clock.clone()), sink, "");
        let analysis = steps::machine(&DELTAS, &options, &mut watch)?;
        let counted = analysis.deltas().ok_or_else(steps::nothing)?;
        let (differences, count) = (number::grouped(counted.differences), number::duration(counted.count_ns));
        let _ = writeln!(std::io::stderr(), "{clock}: {differences} differences in counts of {count}");
        watch.finish_rows(|| None)?;
        watch.finish()
    }
}
