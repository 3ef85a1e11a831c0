//! `clockscope skew`: by how much the CPUs disagree.

use std::time::Duration;

use clockscope_engine::session::Options;
use clockscope_engine::survey::SKEW;

use super::{Refused, cpus, steps};
use crate::args::Call;
use crate::failure::Failure;

/// How long to compare unless asked otherwise.
const TIME: Duration = Duration::from_secs(1);

const SKEW_HELP: &str = "\
Examples:
  clockscope skew                                     counter and monotonic, all CPUs
  clockscope skew --clock monotonic-raw --time 5s     one clock, for longer
  clockscope skew --cpus 0,1 --format json            two CPUs, for a program
  clockscope skew --clock tscp --time 10m             whether they drift apart

An interval holds the offset for certain, whatever the delays. It is about as wide as a message takes there and back, so \
offsets below that can't be seen, and no program that passes messages between the CPUs can see them either. With time for \
several rounds it tells how fast the offsets move too: bounds that hold for certain, and a value with its interval. Every \
clock is read after all that stands before it: what is compared are the CPUs, not the order of instructions.";

/// Options that it does not take, and why.
pub(super) const REFUSED: &[Refused] = &[
    ("--reads", "skew compares for a time, not for a number of reads; take --time, as in `clockscope skew --time 5s`"),
    (
        "--cpu",
        "skew compares CPUs, so one is not enough; take --cpus with two or more, as in `clockscope skew --cpus 0,1`",
    ),
];

/// Show by how much the CPUs disagree on the time, as messages between them prove it
#[derive(Debug, clap::Args)]
#[command(after_help = SKEW_HELP)]
pub struct Skew {
    /// CPUs to compare, two or more, as in 0-3,8 [default: all that this process may use]
    #[arg(long, value_name = "LIST", value_parser = cpus)]
    // Not `Vec`, by which clap would take several values.
    cpus: Option<std::vec::Vec<u32>>,
}

impl Skew {
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        steps::refuse(cli, REFUSED)?;
        let options = Options { cpus: self.cpus.clone(), ..cli.measure.options(Some(TIME)) };
        steps::measured(cli, &SKEW, &options)
    }
}
