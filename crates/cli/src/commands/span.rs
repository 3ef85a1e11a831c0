//! `clockscope span`: how short an interval can be timed.

use std::time::Duration;

use clockscope_engine::survey::SPAN;

use super::steps;
use crate::args::Call;
use crate::failure::Failure;

/// How long to measure unless asked otherwise.
const TIME: Duration = Duration::from_secs(5);

const SPAN_HELP: &str = "\
Examples:
  clockscope span                                  the CPU's counters and monotonic
  clockscope span --clock monotonic --curve        one clock, with its error at each length
  clockscope span --clock tsc,tscp --reads 1e7     so many empty start-stops of each
  clockscope span --format json > spans.json       with the curves, for a program
  clockscope span --curve --format csv             the curves alone, for a plot

A length is the shortest whose timings lie within that share of the truth in 95 of 100 cases, as those of all longer \
intervals do. The truth is the mean of many chains of that length by the run's witness.";

/// Show the shortest interval that each clock can time within 10 %, 1 % and 0.1 %, and what an empty one comes out as
#[derive(Debug, clap::Args)]
#[command(after_help = SPAN_HELP)]
pub struct Span {
    /// Show the error at each length: in CSV instead of the answers; JSON and Markdown always have both
    #[arg(long)]
    curve: bool,
}

impl Span {
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        steps::measured(&Call { all: self.curve, ..cli.clone() }, &SPAN, &cli.measure.options(Some(TIME)))
    }
}
