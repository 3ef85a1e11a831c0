//! `clockscope man`: made from the command line's own definition.

use clap_mangen::Man as Page;

use super::output;
use crate::args::Call;
use crate::failure::Failure;
use crate::nearest::hint;

/// Print the manual page (roff), of the program or of one of its commands
#[derive(Debug, clap::Args)]
pub struct Man {
    /// A command's name
    command: Option<String>,
}

impl Man {
    /// Prints the page.
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        let mut program = (cli.program)();
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
        output::print(&cli.output, &String::from_utf8_lossy(&text))
    }
}
