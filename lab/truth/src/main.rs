//! Known truths beside what clockscope says of them: the program behind `cargo xtask truth`. Prints Markdown; exit code
//! 1 where something is not as it should be.

mod guests;
mod interposed;
mod page;
mod report;
mod synthetic;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};

/// Known truths beside what clockscope says of them
#[derive(Parser)]
struct Arguments {
    /// Only these parts
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<PartName>,
    /// Seeds of each synthetic trace
    #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(u64).range(10..))]
    seeds: u64,
    /// Runs under the interposer
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// The clockscope binary to run under the interposer
    #[arg(long, value_name = "BINARY")]
    clockscope: Option<PathBuf>,
    /// The folder with the guests' results
    #[arg(long, value_name = "FOLDER")]
    guests: Option<PathBuf>,
    /// Write the page to this file as well
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

/// The report's parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PartName {
    /// Estimators over synthetic traces
    Estimators,
    /// The program under the interposer
    Interposer,
    /// The guests' records
    Guests,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("truth: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<bool> {
    let wanted = |part| arguments.only.is_empty() || arguments.only.contains(&part);
    let mut parts = Vec::new();
    if wanted(PartName::Estimators) {
        parts.extend(synthetic::tables(arguments.seeds));
    }
    if wanted(PartName::Interposer) {
        let clockscope = arguments.clockscope.as_deref().context("--clockscope names no binary")?;
        parts.push(interposed::counts(clockscope, arguments.runs)?);
        parts.push(interposed::figures(clockscope, 20)?);
    }
    if wanted(PartName::Guests)
        && let Some(folder) = &arguments.guests
    {
        parts.extend(guests::table(folder)?);
    }
    let text = parts.iter().map(report::Part::markdown).collect::<Vec<_>>().join("\n");
    println!("{text}");
    if let Some(file) = &arguments.write {
        page::write(file, &text)?;
    }
    let wrong: Vec<&String> = parts.iter().flat_map(|part| &part.wrong).collect();
    for line in &wrong {
        eprintln!("not as it should be: {line}");
    }
    Ok(wrong.is_empty())
}
