//! `clockscope analyze FILE`: what the run made that wrote the trace, made again.

use std::path::Path;

use clockscope_analysis::conclude;

use super::{output, source};
use crate::args::Cli;
use crate::failure::Failure;
use crate::sink::Destination;

/// Analyzes the trace and prints what it comes to.
pub(super) fn run(cli: &Cli, file: &Path) -> Result<(), Failure> {
    let destination = Destination::open(cli.output.output.as_deref())?;
    let analysis = source::trace(cli, file)?;
    let none = || Failure::Usage(format!("{} is a trace of no clock", file.display()));
    destination.put(&output::text(cli, &conclude(&analysis).ok_or_else(none)?, false)?)
}
