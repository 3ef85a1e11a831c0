//! One file a subcommand, and a line below.
//!
//! | a command | needs |
//! | --------- | ----- |
//! | the survey, `deltas`, `skew`, `sweep`, `list` | this machine |
//! | `analyze` | a trace |
//! | `doctor` | either |
//! | `explain`, `completions`, `man` | neither |
//!
//! `source` measures, or reads a trace; `output` prints what either comes to.

mod analyze;
mod deltas;
mod doctor;
mod explain;
mod generate;
mod list;
mod output;
mod skew;
mod source;
mod survey;
mod sweep;

use crate::args::{Cli, Command};
use crate::failure::Failure;

/// Does what the command line asks.
///
/// # Errors
/// Whatever ends the program other than well; it has the exit code.
pub fn dispatch(cli: &Cli) -> Result<(), Failure> {
    match &cli.command {
        None => survey::run(cli),
        Some(Command::List) => list::run(cli),
        Some(Command::Deltas { clock, raw, all_rows }) => deltas::run(cli, clock, *raw, *all_rows),
        Some(Command::Sweep { change_clocksource }) => sweep::run(cli, *change_clocksource),
        Some(Command::Skew { cpus }) => skew::run(cli, cpus.as_ref()),
        Some(Command::Doctor { trace }) => doctor::run(cli, trace.as_deref()),
        Some(Command::Analyze { file }) => analyze::run(cli, file),
        Some(Command::Explain { code }) => explain::run(cli, code.as_deref()),
        Some(Command::Completions { shell }) => generate::completions(&cli.output, *shell),
        Some(Command::Man { command }) => generate::man(&cli.output, command.as_deref()),
    }
}
