//! `clockscope deltas CLOCK`: the histogram of adjacent differences, or the differences themselves.

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Duration;

use clockscope_analysis::analyze::Analysis;
use clockscope_analysis::record::Deltas as Counted;
use clockscope_analysis::trace::{Header, Observation, Role};
use clockscope_engine::session::{Observer, Options};
use clockscope_engine::survey::{self, DELTAS};

use super::{output, source};
use crate::args::Call;
use crate::failure::Failure;
use crate::render::{Shown, number};
use crate::sink::{Destination, Stream};
use crate::watch::Watch;

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
    /// Reads the clock and prints its differences.
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        run(&Call { all: self.all_rows, ..cli.clone() }, &self.clock, self.raw)
    }
}

fn run(cli: &Call, clock: &str, raw: bool) -> Result<(), Failure> {
    if !cli.measure.clock.is_empty() {
        return Err(Failure::Usage(format!(
            "deltas reads the one clock that it is given; leave out --clock, as in `clockscope deltas {clock}`"
        )));
    }
    let options = Options { clocks: vec![clock.to_owned()], ..cli.measure.options(Some(TIME)) };
    if raw {
        return samples(cli, clock, &options);
    }
    let destination = Destination::open(cli.output.output.as_deref())?;
    let mut watch = source::watch(cli)?;
    let counted = counted(&source::machine(&DELTAS, &options, &mut watch)?)?;
    destination.put(&output::text(cli, Shown::Deltas(&counted))?)?;
    output::ended(watch)
}

fn counted(analysis: &Analysis) -> Result<Counted, Failure> {
    analysis.deltas().ok_or_else(|| Failure::Machine("no clock was read".into()))
}

/// One line `label value` a difference, written row by row.
fn samples(cli: &Call, clock: &str, options: &Options) -> Result<(), Failure> {
    let stream = Stream::open(cli.output.output.as_deref())?;
    let watch = source::watch(cli)?.until(stream.closed());
    let mut samples = Samples { watch, stream, label: clock, lines: String::new() };
    let analysis = survey::run(&DELTAS, options, &mut samples);
    let Samples { mut watch, stream, .. } = samples;
    watch.clear();
    let counted = counted(&analysis?)?;
    let _ = writeln!(
        std::io::stderr(),
        "{clock}: {} differences in counts of {}",
        number::grouped(counted.differences),
        number::duration(counted.count_ns)
    );
    stream.finish(|| None)?;
    output::ended(watch)
}

/// Writes the differences as they come.
struct Samples<'a> {
    watch: Watch,
    stream: Stream,
    label: &'a str,
    lines: String,
}

impl Observer for Samples<'_> {
    fn progress(&mut self, done: f64, phase: &str) {
        self.watch.progress(done, phase);
    }

    fn begin(&mut self, header: &Header) {
        self.watch.begin(header);
    }

    fn observed(&mut self, observation: &Observation) {
        self.watch.observed(observation);
        if let Observation::Row(row) = observation
            && row.role == Role::Plain
        {
            self.lines.clear();
            differences(self.label, &row.values, &mut self.lines);
            self.stream.put(self.lines.as_bytes());
        }
    }

    fn stop(&self) -> bool {
        self.watch.stop()
    }
}

/// The differences of adjacent readings, a line each. A clock that went back gives a negative one.
fn differences(label: &str, readings: &[u64], out: &mut String) {
    for pair in readings.windows(2) {
        let difference = pair[1].wrapping_sub(pair[0]) as i64;
        let _ = writeln!(out, "{label} {difference}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_a_difference_and_its_sign() {
        let mut out = String::new();
        differences("tsc", &[10, 36, 30, 30], &mut out);
        assert_eq!(out, "tsc 26\ntsc -6\ntsc 0\n");
        out.clear();
        differences("tsc", &[7], &mut out);
        differences("tsc", &[], &mut out);
        assert_eq!(out, "");
    }
}
