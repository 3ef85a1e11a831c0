//! `clockscope man`: made from the command line's own definition.

use clockscope_analysis::text::nearest::hint;

use super::steps;
use crate::args::Call;
use crate::failure::Failure;

/// Print the manual page (roff), of the program or of one of its commands
#[derive(Debug, clap::Args)]
pub struct Man {
    /// A command's name
    command: Option<String>,
}

impl Man {
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        let mut program = crate::command();
        program.build();
        if let Some(name) = &self.command {
            program = program.find_subcommand(name).cloned().ok_or_else(|| {
                let hint = hint(name, program.get_subcommands().map(clap::Command::get_name));
                Failure::Usage(format!("there is no command '{name}'{hint}"))
            })?;
        }
        let mut text = Vec::new();
        let written = clap_mangen::Man::new(program).render(&mut text);
        written.map_err(|error| Failure::Machine(format!("can't write the manual page: {error}")))?;
        steps::print(cli, &String::from_utf8_lossy(&text))
    }
}
