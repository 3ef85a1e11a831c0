//! The face of clockscope: arguments, progress, and what people and programs read.

pub mod args;
pub mod bar;
pub mod clocksource;
pub mod commands;
pub mod failure;
pub mod guard;
pub mod json_error;
pub mod live;
pub mod opened;
pub mod policy_file;
pub mod record_file;
pub mod render;
pub mod samples_file;
pub mod schemas;
pub mod signals;
pub mod sink;
pub mod tables;
pub mod trace_file;
pub mod watch;

use std::io;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser};

use crate::args::Call;
use crate::commands::{Command, Survey};
use crate::failure::{Failure, reason, warn};

const EXAMPLES: &str = "\
Examples:
  clockscope                            survey this machine: what each clock costs and resolves
  clockscope --clock tsc,monotonic      these two only
  clockscope --output survey.json       keep the whole record (the name's ending chooses the format)
  clockscope deltas monotonic           what differences do two adjacent reads show?
  clockscope skew                       do the CPUs agree on the time?
  clockscope doctor --fail-on warning   what is wrong, with its fix; exit code 1 from warnings on
  clockscope check --policy ci-runner   is it as a policy wants it? exit code 1 if not
  clockscope explain CS001              the story behind a finding

Exit codes: 0 done, 1 --fail-on found something or a policy is not met, 2 wrong usage or bad input, 3 this machine does not allow it, 128 + n signal n. \
Results go to standard output, progress and diagnostics to standard error.";

/// An instrument for clocks: what each one here costs, what it resolves, whether it can be trusted.
/// Without a command it surveys every clock of this machine, in about three seconds.
#[derive(Debug, Parser)]
#[command(name = "clockscope", version, after_help = EXAMPLES, subcommand_help_heading = "Commands")]
#[command(max_term_width = 100)]
pub struct Cli {
    /// What to do instead of the survey.
    #[command(subcommand)]
    command: Option<Command>,
    /// What the survey may be asked without its name.
    #[command(flatten)]
    survey: Survey,
    /// What holds for the survey and the commands.
    #[command(flatten)]
    call: Call,
}

impl Cli {
    fn run(self) -> Result<(), Failure> {
        let Self { command, survey, call } = self;
        let asked = call.output.format.and_then(|format| Some((format, format.only_of()?)));
        if let Some((format, only)) = asked
            && command.as_ref().map(Command::name) != Some(only)
        {
            let format = format.name();
            let why =
                format!("--format {format} is for `clockscope {only}` alone; take table, json, jsonl, csv or markdown");
            return Err(Failure::Usage(why));
        }
        match command {
            None => survey.run(&call),
            Some(_) if survey.asks() => Err(Failure::Usage(
                "--runs, --cycles, --fail-on and --ignore stand behind the command that they are for, as in `clockscope doctor \
                 --fail-on warning`"
                    .into(),
            )),
            Some(command) => command.run(&call),
        }
    }
}

/// The program's arguments, each command's help with what it takes.
pub fn command() -> clap::Command {
    commands::only_what_they_take(Cli::command())
}

/// Reads the process's arguments.
fn arguments() -> Result<Cli, clap::Error> {
    let mut program = command();
    let mut matches = program.try_get_matches_from_mut(std::env::args_os())?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut program))
}

/// Runs the program on the process's arguments. The exit codes are 0 done, 1 a finding as severe as `--fail-on` names, 2
/// wrong usage or bad input, 3 the machine does not allow what was asked, 128 + n ended by signal n.
pub fn main() -> ExitCode {
    if let Some((folder, before)) = guard::duty(std::env::args_os()) {
        return ended(guard::serve(&folder, &before));
    }
    let cli = match arguments() {
        Ok(cli) => cli,
        Err(error) if !error.use_stderr() && !opened::stdout_is_open() => {
            return ended(Err(Failure::Machine(sink::CLOSED.into())));
        }
        // Help and version go to stdout, with 0, errors to stderr with 2; a closed pipe is no error.
        Err(error) => match error.print() {
            Err(full) if !error.use_stderr() && full.kind() != io::ErrorKind::BrokenPipe => {
                return ended(Err(Failure::Machine(format!("can't write to standard output: {}", reason(&full)))));
            }
            _ => return ExitCode::from(if error.use_stderr() { 2 } else { 0 }),
        },
    };
    ended(cli.run())
}

/// The exit code, after the reason on standard error.
fn ended(result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            warn(&failure.to_string());
            ExitCode::from(failure.exit_code())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        command().debug_assert();
    }

    #[test]
    fn no_help_is_wrapped_twice() {
        let mut program = command().term_width(100);
        program.build();
        for command in std::iter::once(&program).chain(program.get_subcommands()) {
            let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in text.lines().filter(|line| line.starts_with(' ')) {
                assert!(line.chars().count() <= 100, "{}: {line}", command.get_name());
            }
            // A paragraph is one line, which the terminal's width breaks.
            let prose = text.lines().map(|line| !line.is_empty() && !line.starts_with(' ')).collect::<Vec<_>>();
            assert!(prose.windows(2).all(|two| two != [true, true]), "{}: {text}", command.get_name());
        }
    }
}
