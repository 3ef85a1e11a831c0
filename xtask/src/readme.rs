//! The README's commands do what it says: each line of its shell blocks is run as it stands.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::shell;

/// This very command stands in the README too; running it from here would never end.
const OURSELVES: &str = "cargo xtask test";

/// Runs them all.
pub(crate) fn check() -> Result<()> {
    let path = shell::root().join("README.md");
    let text = fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
    let commands = commands(&text);
    ensure!(
        commands.iter().any(|command| command == "cargo run --release"),
        "the README does not say `cargo run --release`"
    );
    ensure!(commands.iter().any(|command| command == OURSELVES), "the README does not say `{OURSELVES}`");
    for command in commands.iter().filter(|command| *command != OURSELVES) {
        println!("$ {command}");
        let output = shell::output(Command::new("sh").args(["-c", command]).current_dir(shell::root()))?;
        if output.trim().is_empty() {
            bail!("`{command}` printed nothing");
        }
        println!("{}", output.trim_end());
    }
    Ok(())
}

/// The lines of the `sh` blocks, without comments behind `#`.
fn commands(text: &str) -> Vec<String> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```sh";
        } else if inside {
            let command = line.split(" #").next().unwrap_or_default().trim();
            if !command.is_empty() {
                found.push(command.to_owned());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::commands;

    #[test]
    fn only_shell_blocks_are_commands() {
        let text = "a\n```sh\nls    # shows\n\npwd\n```\n```text\nno\n```\nb\n";
        assert_eq!(commands(text), ["ls", "pwd"]);
    }
}
