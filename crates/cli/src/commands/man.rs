//! `clockscope man`: made from the command line's own definition.

use clap::CommandFactory;
use clap_mangen::Man as Page;
use clockscope_engine::catalog::nearest::hint;

use super::steps;
use crate::Cli;
use crate::args::Call;
use crate::failure::Failure;

/// Print the manual page (roff), of the program or of one of its commands
#[derive(Debug, clap::Args)]
pub struct Man {
    /// A command's name
    command: Option<String>,
}

impl Man {
    /// Prints the page.
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        let mut program = Cli::command();
        program.build();
        let page = match &self.command {
            None => program,
            Some(name) => {
                let found = program.find_subcommand(name).cloned();
                found.ok_or_else(|| {
                    let hint = hint(name, program.get_subcommands().map(clap::Command::get_name));
                    Failure::Usage(format!("there is no command '{name}'{hint}"))
                })?
            }
        };
        let mut text = Vec::new();
        Page::new(page)
            .render(&mut text)
            .map_err(|error| Failure::Machine(format!("can't write the manual page: {error}")))?;
        steps::print(cli, &String::from_utf8_lossy(&text))
    }
}
