//! `clockscope completions SHELL`: made from the command line's own definition.

use clap::CommandFactory;

use super::steps;
use crate::Cli;
use crate::args::Call;
use crate::failure::Failure;

const COMPLETIONS: &str = "\
Examples:
  clockscope completions bash > ~/.local/share/bash-completion/completions/clockscope
  clockscope completions zsh > ~/.zfunc/_clockscope
  clockscope completions fish > ~/.config/fish/completions/clockscope.fish";

/// Print a shell's completion script
#[derive(Debug, clap::Args)]
#[command(after_help = COMPLETIONS)]
pub struct Completions {
    /// The shell
    shell: clap_complete::Shell,
}

impl Completions {
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "clockscope", &mut text);
        steps::print(cli, &String::from_utf8_lossy(&text))
    }
}
