//! `cargo xtask …`: everything a contributor runs. One file a command.

mod atlas;
mod bench;
mod browser;
mod deny;
mod deployed;
mod fmt;
mod lab;
mod languages;
mod lattices;
mod package;
mod pages;
mod publish;
mod pure;
mod python;
mod quantum;
mod readme;
mod runtimes;
mod schema;
mod semver;
mod setup;
mod shell;
mod stage;
mod test;
mod truth;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Everything a contributor runs
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Fetch what the tests need and run them all
    Test(test::Options),
    /// Fetch what the tests need
    Setup,
    /// Run guests whose clocks are known to be bad, and check what clockscope says of them
    Lab(lab::Options),
    /// Run what depends on the host's counter on other lattices than its own
    Lattices,
    /// Check licences, advisories and sources of the dependencies (maintainers; needs cargo-deny)
    Deny,
    /// Hold truetick's interface against an earlier commit's (maintainers; needs cargo-semver-checks)
    Semver(semver::Options),
    /// Format every file of the code
    Fmt,
    /// Write the schemas under docs/ from the results' types
    Schema,
    /// Known truths beside what clockscope says of them: estimators, interposed clocks, guests
    Truth(truth::Options),
    /// Check the scripts under crates/cli/assets that are not ours against their checksums
    Vendored,
    /// Show reports to a browser, and look at what it draws
    Pages,
    /// Build the Python package's wheel, with the program in it, into target/wheels
    Wheel,
    /// What the counters of known machines resolve and cost, of the records in atlas/
    Atlas(atlas::Options),
    /// The runtimes' clocks in the lab's guests beside what was published of them, as the lab's last run left them
    Runtimes(runtimes::Options),
    /// Measure clockscope itself
    #[command(subcommand)]
    Bench(bench::Bench),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Test(options) => return test::run(&options),
        Command::Setup => setup::report(),
        Command::Lab(options) => lab::run(&options),
        Command::Lattices => lattices::check(),
        Command::Fmt => fmt::write(),
        Command::Deny => deny::run(),
        Command::Semver(options) => semver::run(&options),
        Command::Schema => schema::write(),
        Command::Vendored => pages::vendored(),
        Command::Pages => pages::run(),
        Command::Truth(options) => truth::run(&options),
        Command::Wheel => package::wheel(),
        Command::Atlas(options) => atlas::run(&options),
        Command::Runtimes(options) => runtimes::run(&options),
        Command::Bench(bench) => bench::run(&bench),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
