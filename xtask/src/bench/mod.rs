//! `cargo xtask bench …`: clockscope measured.

mod clockperf;
mod load;
mod survey;
mod table;
mod timed;

use anyhow::Result;
use clap::Subcommand;

/// What to measure.
#[derive(Subcommand)]
pub(crate) enum Bench {
    /// The survey's figures beside clockperf's, quiet and under load
    Survey(survey::Options),
}

/// Measures it.
pub(crate) fn run(bench: &Bench) -> Result<()> {
    match bench {
        Bench::Survey(options) => survey::run(options),
    }
}
