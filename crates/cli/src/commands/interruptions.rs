//! `clockscope interruptions`: how often and for how long a CPU is taken away, and why.

use std::time::Duration;

use clockscope_engine::session::Options;
use clockscope_engine::survey::INTERRUPTIONS;

use super::{Refused, cpus, steps};
use crate::args::{Call, duration};
use crate::failure::Failure;

/// How long to watch unless asked otherwise.
const TIME: Duration = Duration::from_secs(5);

const INTERRUPTIONS_HELP: &str = "\
Examples:
  clockscope interruptions                              one CPU for five seconds
  clockscope interruptions --cpus 0,1 --time 1m         a thread on each of these
  clockscope interruptions --longer-than 20us           only what is longer
  clockscope interruptions --format csv                 a row a CPU

A thread on each CPU reads a clock back to back and does nothing else, so that all the time it is away shows between two \
reads: the scheduler ran something else, a quota was used up, an interrupt was served, the hypervisor took the CPU. It \
keeps the CPU busy all the time.";

pub(super) const REFUSED: &[Refused] = &[
    ("--reads", "--reads is for clocks; take --time, as in `clockscope interruptions --time 1s`"),
    ("--clock", "interruptions are of CPUs, not of clocks; leave --clock out"),
];

/// Show how often and for how long a CPU is taken away from a thread, and by what
#[derive(Debug, clap::Args)]
#[command(after_help = INTERRUPTIONS_HELP)]
pub struct Interruptions {
    /// CPUs to watch, as in 0-3,8 [default: that of --cpu]
    #[arg(long, value_name = "LIST", value_parser = cpus)]
    // Not `Vec`, by which clap would take several values.
    cpus: Option<std::vec::Vec<u32>>,
    /// Count what is longer than this; shorter than some reads of the clock it can't be
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "1us", allow_hyphen_values = true)]
    longer_than: Duration,
}

impl Interruptions {
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        let measure = &cli.measure;
        steps::refuse(cli, REFUSED)?;
        if self.cpus.is_some() && measure.cpu.is_some() {
            let why = "--cpu and --cpus both say which CPUs to watch; take one of them, as in `clockscope interruptions --cpus 0,1`";
            return Err(Failure::Usage(why.into()));
        }
        let options = Options { cpus: self.cpus.clone(), longer_than: self.longer_than, ..measure.options(Some(TIME)) };
        steps::measured(cli, &INTERRUPTIONS, &options)
    }
}
