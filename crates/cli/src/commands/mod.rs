//! One file a subcommand, with its arguments and its help, and a line below.
//!
//! | a command | needs |
//! | --------- | ----- |
//! | `survey`, `deltas`, `skew`, `span`, `threads`, `sweep`, `list` | this machine |
//! | `analyze` | a trace |
//! | `doctor` | either |
//! | `explain`, `schema`, `completions`, `man` | neither |
//!
//! `steps` measures, or reads a trace, and prints what either comes to.

mod steps;

pub use survey::Survey;

use crate::args::Call;
use crate::failure::Failure;

/// Makes the subcommands of their files: each has a type of arguments that runs.
macro_rules! commands {
    ($($file:ident: $name:ident,)*) => {
        $(mod $file;)*

        /// The subcommands.
        #[derive(Debug, clap::Subcommand)]
        pub enum Command {
            $(#[expect(missing_docs, reason = "its arguments' type says it")] $name($file::$name),)*
        }

        impl Command {
            /// Does what was asked.
            pub(crate) fn run(&self, call: &Call) -> Result<(), Failure> {
                match self {
                    $(Self::$name(command) => command.run(call),)*
                }
            }
        }
    };
}

commands! {
    survey: Survey,
    list: List,
    deltas: Deltas,
    sweep: Sweep,
    skew: Skew,
    threads: Threads,
    span: Span,
    doctor: Doctor,
    analyze: Analyze,
    explain: Explain,
    schema: Schema,
    completions: Completions,
    man: Man,
}
