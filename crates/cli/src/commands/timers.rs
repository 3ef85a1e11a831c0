//! `clockscope timers`: what sleeping and timers really deliver.

use std::time::Duration;

use clockscope_engine::session::Options;
use clockscope_engine::survey::TIMERS;

use super::{Refused, steps};
use crate::args::{Call, duration};
use crate::failure::Failure;

/// How long to sleep, all in all, unless asked otherwise.
const TIME: Duration = Duration::from_secs(10);
/// The longest sleep that can be asked for.
const LONGEST: Duration = Duration::from_secs(1);

const TIMERS_HELP: &str = "\
Examples:
  clockscope timers                              how late each way to sleep ends, and why
  clockscope timers --for 50us,1ms               these lengths only
  clockscope timers --for 1ms --format csv       a row a way and length

All ways take turns, so that a noisy second hits all alike. The clock is the kernel's own, by which it promises never to \
wake early; it is read right before and right after each call.";

pub(super) const REFUSED: &[Refused] = &[
    ("--reads", "--reads is for clocks; take --time, as in `clockscope timers --time 5s`"),
    ("--clock", "timers are the kernel's, by its monotonic clock; leave --clock out"),
    ("--ref", "sleeps are asked for by the kernel's monotonic clock; leave --ref out"),
];

/// Show what sleeps and timers deliver: asked for against got, and what makes them late
#[derive(Debug, clap::Args)]
#[command(after_help = TIMERS_HELP)]
pub struct Timers {
    /// Lengths to ask for, separated by commas, up to 1s
    #[arg(
        long = "for",
        value_name = "DURATION",
        value_delimiter = ',',
        value_parser = length,
        default_value = "1us,10us,100us,1ms,10ms,100ms",
        allow_hyphen_values = true
    )]
    lengths: Vec<Duration>,
}

/// A length of a sleep; an error is a sentence.
fn length(text: &str) -> Result<Duration, String> {
    let length = duration(text)?;
    if length.is_zero() || length > LONGEST {
        return Err("a sleep is at least 1 ns and at most 1 s here, as in 50us".into());
    }
    Ok(length)
}

impl Timers {
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        steps::refuse(cli, REFUSED)?;
        let options = Options { lengths: self.lengths.clone(), ..cli.measure.options(Some(TIME)) };
        steps::measured(cli, &TIMERS, &options)
    }
}
