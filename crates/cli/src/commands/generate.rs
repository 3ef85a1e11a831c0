//! `clockscope completions SHELL` and `clockscope man`: made from the command line's own definition.

use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::args::{Cli, OutputArgs};
use crate::failure::Failure;
use crate::nearest::hint;

/// Prints a shell's completion script.
pub(super) fn completions(output: &OutputArgs, shell: Shell) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "clockscope", &mut text);
    super::output::print(output, &String::from_utf8_lossy(&text))
}

/// Prints the manual page of the program or of one of its commands.
pub(super) fn man(output: &OutputArgs, command: Option<&str>) -> Result<(), Failure> {
    let mut program = Cli::command();
    program.build();
    let page = match command {
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
    Man::new(page)
        .render(&mut text)
        .map_err(|error| Failure::Machine(format!("can't write the manual page: {error}")))?;
    super::output::print(output, &String::from_utf8_lossy(&text))
}
