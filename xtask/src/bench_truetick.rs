//! `cargo xtask bench truetick [--cost SECONDS] [--accuracy SECONDS] [--order READS] [--soak READS] [--starts N]`:
//! truetick against rdtsc, std and its peers, interleaved in one run; prints the table of docs/method/truetick.md.

use std::process::Command;

use anyhow::{Context, Result, ensure};

/// Builds the bench program and runs it with `args`. Takes some minutes; wants a quiet machine.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["run", "--release", "--quiet", "-p", "truetick-bench", "--"])
        .args(args)
        .status()
        .context("cargo could not be started")?;
    ensure!(status.success(), "the bench program ended with {status}");
    Ok(())
}
