//! `clockscope completions SHELL`: made from the command line's own definition.

use super::steps;
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
    /// The shell: bash, elvish, fish, powershell or zsh [default: what $SHELL names]
    #[arg(hide_possible_values = true)]
    shell: Option<clap_complete::Shell>,
}

impl Completions {
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        let none = || Failure::Usage("name the shell: bash, elvish, fish, powershell or zsh".into());
        let shell = self.shell.or_else(clap_complete::Shell::from_env).ok_or_else(none)?;
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut crate::command(), "clockscope", &mut text);
        steps::print(cli, &String::from_utf8_lossy(&text))
    }
}
