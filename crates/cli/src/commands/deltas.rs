//! `clockscope deltas CLOCK`: the histogram of adjacent differences, or the differences themselves.

use std::io::Write;
use std::time::Duration;

use clockscope_analysis::text::grouped;
use clockscope_engine::catalog::names::meaning;
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
    /// The clock, as `clockscope list` shows it; --clock may name it as well
    // An id of its own: the flag --clock is known in every command.
    #[arg(id = "deltas_clock", value_name = "CLOCK")]
    clock: Vec<String>,
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
        let rest = cli.measure.options(Some(TIME));
        let clocks: Vec<String> = self.clock.iter().chain(&rest.clocks).cloned().collect();
        let clock = &one(&clocks)?;
        let options = Options { clocks: clocks.into_iter().take(1).collect(), ..rest };
        if !self.raw {
            return steps::measured(&Call { all: self.all_rows, ..cli.clone() }, &DELTAS, &options);
        }
        let sink = Sink::in_pieces(cli.output.output.as_deref())?;
        let mut watch = steps::watch(cli)?.with_rows(Rows::Differences(clock.clone()), sink, "");
        let analysis = steps::machine(&DELTAS, &options, &mut watch)?;
        let counted = analysis.deltas().ok_or_else(steps::nothing)?;
        let (differences, count) = (grouped(counted.differences), number::duration(counted.count_ns));
        let _ = writeln!(std::io::stderr(), "{clock}: {differences} differences in counts of {count}");
        watch.finish_rows(|| None)?;
        watch.finish()
    }
}

/// The id of the one clock that all of these names mean.
fn one(names: &[String]) -> Result<String, Failure> {
    let mut ids: Vec<String> = names.iter().map(|name| meaning(name).id).collect();
    ids.dedup();
    let [id] = &ids[..] else {
        let why = "deltas reads one clock; name one, as in `clockscope deltas monotonic`";
        return Err(Failure::Usage(why.into()));
    };
    Ok(id.clone())
}
