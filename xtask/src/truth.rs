//! `cargo xtask truth`: known truths beside what clockscope says of them, in one table.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use clap::Args;

use crate::shell;

/// Where the last table stands.
const PAGE: &str = "docs/method/truth.md";

/// The program that makes it, built as the tests are: what it measures is measured by the release build of clockscope.
const PROGRAM: &str = "clockscope-truth";

/// What to run.
#[derive(Args)]
pub(crate) struct Options {
    /// Write the table, with its date, into docs/method/truth.md
    #[arg(long)]
    write: bool,
    /// Take the guests' results from here [default: what the last run of the lab left in target/lab]
    #[arg(long, value_name = "FOLDER")]
    guests: Option<PathBuf>,
    /// A clockscope binary; otherwise the release build of this tree, built first
    #[arg(long, value_name = "BINARY")]
    clockscope: Option<PathBuf>,
    /// Further options, of the program `clockscope-truth`: `--only estimators,interposer,guests`, `--seeds N`, `--runs N`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// Runs everything; fails where a truth was missed. About three minutes on a machine of two CPUs.
pub(crate) fn run(options: &Options) -> Result<()> {
    let clockscope = match &options.clockscope {
        Some(binary) => binary.clone(),
        None => shell::release_build()?,
    };
    let mut command = shell::cargo();
    command.args(["run", "--quiet", "--package", PROGRAM, "--"]);
    command.arg("--clockscope").arg(clockscope);
    command.arg("--guests").arg(options.guests.clone().unwrap_or_else(|| shell::target().join("lab")));
    if options.write {
        command.arg("--write").arg(shell::root().join(PAGE));
    }
    shell::run(command.args(&options.arguments))
}

/// The tests' share of it: all estimators and all interposed runs.
pub(crate) fn check() -> Result<()> {
    let clockscope = shell::release_build()?;
    // With the features that the tests give to what it depends on: alone it would need all of it anew.
    shell::run(shell::cargo().arg("build").args(shell::TESTED).args(["--tests", "--bin", PROGRAM]))?;
    let mut command = Command::new(shell::target().join("debug").join(PROGRAM));
    shell::run(command.arg("--clockscope").arg(clockscope).args(["--only", "estimators,interposer"]))
}
