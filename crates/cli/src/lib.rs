//! The face of clockscope: arguments, progress, and what people and programs read.
//!
//! * [`cli`]: the command line; [`args`]: what can be asked of any command.
//! * [`commands`]: one file a subcommand.
//! * [`guard`]: the process that undoes a sweep if this one can't.
//! * [`render`]: records into tables, JSON, CSV and Markdown; it computes nothing that the engine should.
//! * [`sink`]: where results go (standard output or a file), and what happens when that fails.
//! * [`trace_file`]: traces as files.
//! * [`signals`] and [`watch`]: what goes on beside a measurement, never inside a measured window.

pub mod args;
pub mod bar;
pub mod cli;
pub mod commands;
pub mod failure;
pub mod guard;
pub mod render;
pub mod signals;
pub mod sink;
pub mod trace_file;
pub mod watch;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

/// Runs the program on the process's arguments. The exit codes are 0 done, 2 wrong usage or bad input, 3 the
/// machine does not allow what was asked, 128 + n ended by signal n.
pub fn main() -> ExitCode {
    if let Some((folder, before)) = guard::duty(std::env::args_os()) {
        return ended(guard::serve(&folder, &before));
    }
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        // Prints help and version to stdout with 0, errors to stderr with 2; a closed pipe is no error.
        Err(error) => error.exit(),
    };
    ended(cli.run())
}

/// The exit code, after the reason on standard error.
fn ended(result: Result<(), failure::Failure>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // Not `eprintln!`, which panics when stderr is closed or full.
            let _ = writeln!(std::io::stderr(), "clockscope: {failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}
