//! `clockscope deltas CLOCK`: the histogram of adjacent differences, or the differences themselves.

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Duration;

use clockscope_engine::survey;

use crate::args::{Cli, Format};
use crate::failure::Failure;
use crate::render::{View, csv, deltas as render, number};
use crate::sink::{Destination, Stream};
use crate::watch::Watch;

/// How long to read unless asked otherwise.
const TIME: Duration = Duration::from_secs(1);

/// Reads the clock and prints its differences.
pub(super) fn run(cli: &Cli, clock: &str, raw: bool, all_rows: bool) -> Result<(), Failure> {
    if !cli.measure.clock.is_empty() {
        return Err(Failure::Usage(format!(
            "deltas reads the one clock that it is given; leave out --clock, as in `clockscope deltas {clock}`"
        )));
    }
    if raw {
        return samples(cli, clock);
    }
    let destination = Destination::open(cli.output.output.as_deref())?;
    let mut watch = Watch::new(&cli.output, super::signals());
    let deltas = survey::deltas(clock, &cli.measure.options(TIME), &mut watch, &mut |_| ());
    watch.clear();
    let deltas = deltas?;
    let text = match cli.output.format() {
        Format::Json => super::to_json(&deltas)?,
        Format::Csv => csv::deltas(&deltas),
        Format::Markdown => render::markdown(&deltas, all_rows),
        Format::Table => render::deltas(&deltas, all_rows, View::of(&cli.output)),
    };
    destination.put(&text)?;
    super::ended(watch.signal())
}

/// One line `label value` a difference, written chunk by chunk.
fn samples(cli: &Cli, clock: &str) -> Result<(), Failure> {
    let mut stream = Stream::open(cli.output.output.as_deref())?;
    let mut watch = Watch::new(&cli.output, super::signals()).until(stream.closed());
    let mut lines = String::new();
    let mut raw = |readings: &[u64]| {
        lines.clear();
        differences(clock, readings, &mut lines);
        stream.put(lines.as_bytes());
    };
    let deltas = survey::deltas(clock, &cli.measure.options(TIME), &mut watch, &mut raw);
    watch.clear();
    let deltas = deltas?;
    let _ = writeln!(
        std::io::stderr(),
        "{clock}: {} differences in counts of {}",
        number::grouped(deltas.differences),
        number::duration(deltas.count_ns)
    );
    stream.finish(|| None)?;
    super::ended(watch.signal())
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
