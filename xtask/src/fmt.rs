//! `cargo xtask fmt`: formats every file. `cargo fmt` alone does not see those that a macro's list names.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::shell;

/// Formats the files that git has, or would take.
pub(crate) fn write() -> Result<()> {
    rustfmt(&[])
}

/// Fails where one is not formatted, and shows how it should be.
pub(crate) fn check() -> Result<()> {
    rustfmt(&["--check"])
}

fn rustfmt(options: &[&str]) -> Result<()> {
    let mut listing = Command::new("git");
    listing.args(["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "*.rs"]);
    let listed = shell::output(listing.current_dir(shell::root()))?;
    // What was removed but is still in the index is no file.
    let files = listed.lines().filter(|file| shell::root().join(file).exists());
    let mut format = Command::new("rustfmt");
    format.args(["--edition", "2024"]).args(options).args(files).current_dir(shell::root());
    let status = format.status().context("can't run rustfmt")?;
    ensure!(status.success(), "not everything is formatted; `cargo xtask fmt` does it");
    Ok(())
}
