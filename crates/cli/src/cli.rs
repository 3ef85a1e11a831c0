//! The command line.

use clap::Parser;

use crate::args::Call;
use crate::commands::{self, Command};
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  clockscope                            survey this machine: what each clock costs and resolves
  clockscope --clock tsc,monotonic      these two only
  clockscope --output survey.json       keep the whole record (the name's ending chooses the format)
  clockscope deltas monotonic           what differences do two adjacent reads show?
  clockscope skew                       do the CPUs agree on the time?
  clockscope doctor                     only what is wrong, why it matters and how to fix it
  clockscope explain CS001              the story behind a finding

Exit codes: 0 done, 2 wrong usage or bad input, 3 this machine does not allow it, 128 + n signal n.
Results go to standard output, progress and diagnostics to standard error.";

/// An instrument for clocks: what each one here costs, what it resolves, whether it can be trusted.
/// Without a command it surveys every clock of this machine in about three seconds.
#[derive(Debug, Parser)]
#[command(name = "clockscope", version, after_help = EXAMPLES, subcommand_help_heading = "Commands")]
#[command(max_term_width = 100, disable_help_subcommand = true)]
pub struct Cli {
    /// What to do instead of the survey.
    #[command(subcommand)]
    command: Option<Command>,
    /// What holds for the survey and the commands.
    #[command(flatten)]
    call: Call,
}

impl Cli {
    /// Does what the command line asks.
    ///
    /// # Errors
    /// Whatever ends the program other than well; it has the exit code.
    pub fn run(self) -> Result<(), Failure> {
        let Self { command, call } = self;
        command.map_or_else(|| commands::survey(&call), |command| command.run(&call))
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
