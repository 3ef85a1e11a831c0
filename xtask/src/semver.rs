//! `cargo xtask semver REVISION`: truetick's interface beside that of an earlier commit. A maintainers' command:
//! cargo-semver-checks takes a quarter of an hour to compile, so the tests don't fetch it.

use std::fs;
use std::process::Command;

use anyhow::{Result, bail};

use crate::shell;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Commit or tag that the interface is held against
    revision: String,
}

/// Runs cargo-semver-checks, or says how to get it.
pub(crate) fn run(options: &Options) -> Result<()> {
    if shell::output(shell::cargo().args(["semver-checks", "--version"])).is_err() {
        bail!(
            "cargo-semver-checks is not installed; `cargo install --locked cargo-semver-checks` compiles it, which takes \
             a quarter of an hour"
        );
    }
    // Not by its own --baseline-rev: a program of the probes bears the library's name, and it can't tell them apart.
    let before = shell::target().join("semver");
    if before.exists() {
        fs::remove_dir_all(&before)?;
    }
    shell::run(Command::new("git").args(["clone", "--quiet", "--shared"]).arg(shell::root()).arg(&before))?;
    shell::run(Command::new("git").arg("-C").arg(&before).args(["checkout", "--quiet", &options.revision]))?;
    let mut command = shell::cargo();
    command.arg("semver-checks").arg("--manifest-path").arg(shell::root().join("crates/truetick/Cargo.toml"));
    shell::run(command.arg("--baseline-root").arg(before.join("crates/truetick")))
}
