//! `clockscope frequency`: what every source says of the counter's frequency.

use std::time::Duration;

use clockscope_engine::survey::FREQUENCY;

use super::{Refused, steps};
use crate::args::Call;
use crate::failure::Failure;

/// How long to measure unless asked otherwise.
const TIME: Duration = Duration::from_secs(3);

const FREQUENCY_HELP: &str = "\
Examples:
  clockscope frequency                             every source side by side, and which to trust
  clockscope frequency --time 60s                  ours twenty times as narrow
  clockscope frequency --clock monotonic-raw       against this clock and the reference only
  clockscope frequency --format json               with all digits, for a program

The other sources' figures are held against ours, which is the counter by --ref over the run. The error of ours falls as the \
time grows: some 0.01 ppm after 3 s on a quiet machine. Clocks that the kernel reckons from the counter only give the kernel's \
own figure back, however long; what steers them, or has a crystal of its own, tells more.";

pub(super) const REFUSED: &[Refused] = &[(
    "--reads",
    "--reads is for clocks one by one; a frequency takes --time, as in `clockscope frequency --time 60s`",
)];

/// Show what every source says of the CPU counter's frequency, how they disagree, and which to trust
#[derive(Debug, clap::Args)]
#[command(after_help = FREQUENCY_HELP)]
pub struct Frequency {}

impl Frequency {
    #[expect(clippy::unused_self, reason = "as every command runs")]
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        steps::refuse(cli, REFUSED)?;
        steps::measured(cli, &FREQUENCY, &cli.measure.options(Some(TIME)))
    }
}
