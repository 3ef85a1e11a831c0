//! truetick as others get it: a package by itself, for the oldest Rust that it states.

use std::process::Command;

use anyhow::{Context, Result};

use crate::{setup, shell};

/// `rust-version` of truetick's Cargo.toml.
const OLDEST: &str = "1.85";

/// Builds it with the oldest Rust, with and without its features.
pub(crate) fn oldest() -> Result<()> {
    for features in ["--all-features", "--no-default-features"] {
        let mut command = Command::new("cargo");
        command.arg(format!("+{OLDEST}")).args(["check", "--package", "truetick", features]);
        command.args(["--target-dir"]).arg(shell::target().join("oldest"));
        shell::run(command.current_dir(shell::root()))?;
    }
    Ok(())
}

/// Fetches that Rust where it is missing.
pub(crate) fn fetch() -> Result<()> {
    setup::toolchain(OLDEST).with_context(|| format!("no Rust {OLDEST}"))
}

/// Packs it and builds what was packed.
pub(crate) fn package() -> Result<()> {
    shell::run(shell::cargo().args(["publish", "--dry-run", "--quiet", "--allow-dirty", "--package", "truetick"]))
}
