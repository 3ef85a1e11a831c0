//! One file a subcommand, with its arguments and its help, and a line below.
//!
//! | a command | needs |
//! | --------- | ----- |
//! | `survey`, `deltas`, `skew`, `span`, `frequency`, `threads`, `interruptions`, `timers`, `monitor`, `sweep`, `list` | this machine |
//! | `analyze` | a trace |
//! | `doctor` | either |
//! | `explain`, `schema`, `completions`, `man` | neither |
//!
//! `steps` measures, or reads a trace, and prints what either comes to.

mod steps;

pub use survey::Survey;

use clockscope_engine::machine::cpu_list;

use crate::args::Call;
use crate::failure::Failure;

/// Reads a list of CPUs as the kernel writes them; an error is a sentence that says what would be right.
fn cpus(text: &str) -> Result<Vec<u32>, String> {
    let wrong = "a list of CPUs is numbers and ranges from low to high, separated by commas, as in 0-3,8";
    cpu_list(text).ok_or_else(|| wrong.to_owned())
}

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
    span: Span,
    frequency: Frequency,
    interruptions: Interruptions,
    timers: Timers,
    threads: Threads,
    monitor: Monitor,
    doctor: Doctor,
    analyze: Analyze,
    explain: Explain,
    schema: Schema,
    completions: Completions,
    man: Man,
}
