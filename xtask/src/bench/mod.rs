//! `cargo xtask bench …`: clockscope measured.

mod clockperf;
mod load;
mod runtimes;
mod survey;
mod table;
mod timed;
mod truetick;

use anyhow::Result;
use clap::Subcommand;

/// What to measure.
#[derive(Subcommand)]
pub(crate) enum Bench {
    /// The survey's figures beside clockperf's, quiet and under load
    Survey(survey::Options),
    /// The costs of the languages' clocks beside JMH, `go test -bench`, pyperf and BenchmarkDotNet's method
    Runtimes(runtimes::Options),
    /// truetick beside rdtsc, std and its peers; the options after `--` are the bench program's
    Truetick(truetick::Options),
}

/// Measures it.
pub(crate) fn run(bench: &Bench) -> Result<()> {
    match bench {
        Bench::Survey(options) => survey::run(options),
        Bench::Runtimes(options) => runtimes::run(options),
        Bench::Truetick(options) => truetick::run(options),
    }
}
