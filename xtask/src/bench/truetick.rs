//! `cargo xtask bench truetick`: truetick against rdtsc, std and its peers, interleaved in one run; prints the table of
//! docs/method/truetick.md.

use anyhow::Result;

use crate::shell;

/// Options of the bench program.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// `--cost SECONDS`, `--accuracy SECONDS`, `--order READS`, `--soak READS`, `--starts N`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// Builds the bench program and runs it. Takes some minutes; wants a quiet machine.
pub(crate) fn run(options: &Options) -> Result<()> {
    let mut command = shell::cargo();
    command.args(["run", "--release", "--quiet", "--package", "truetick-bench", "--"]);
    shell::run(command.args(&options.arguments))
}
