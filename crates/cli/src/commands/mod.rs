//! One file a subcommand, with its arguments and its help, and a line below.
//!
//! | a command | needs |
//! | --------- | ----- |
//! | `survey`, `deltas`, `skew`, `span`, `frequency`, `threads`, `interruptions`, `timers`, `monitor`, `runtimes`, `sweep`, `list` | this machine |
//! | `analyze` | a trace |
//! | `doctor` | this machine, or a trace |
//! | `check`, `report` | this machine, records or traces |
//! | `compare`, `export` | records or traces |
//! | `explain`, `schema`, `completions`, `man` | neither |
//!
//! `steps` measures, or reads a trace, and prints what either comes to.

mod steps;

pub use survey::Survey;

use clockscope_engine::machine::cpu_list;

use crate::args::Call;
use crate::failure::Failure;

/// An option of measuring that a command refuses, and the sentence that says why.
type Refused = (&'static str, &'static str);

/// Options of measuring that mean nothing where nothing is measured.
const MEASURING: [&str; 9] =
    ["--clock", "--ref", "--cpu", "--time", "--reads", "--seed", "--trace", "--hostname", "--machine-id"];

/// Whether a command takes an option of measuring.
type Takes = fn(&str) -> bool;

/// The commands that do not take all options of measuring; their help leaves out the others.
const TAKES: [(&str, Takes); 16] = [
    ("frequency", |option| !refuses(frequency::REFUSED, option)),
    ("interruptions", |option| !refuses(interruptions::REFUSED, option)),
    ("monitor", |option| !refuses(monitor::REFUSED, option)),
    ("runtimes", |option| !refuses(runtimes::REFUSED, option)),
    ("skew", |option| !refuses(skew::REFUSED, option)),
    ("sweep", |option| !refuses(sweep::REFUSED, option)),
    ("threads", |option| !refuses(threads::REFUSED, option)),
    ("timers", |option| !refuses(timers::REFUSED, option)),
    ("compare", |option| option == "--clock"),
    ("list", |option| option == "--clock"),
    ("analyze", |_| false),
    ("export", |_| false),
    ("explain", |_| false),
    ("schema", |_| false),
    ("completions", |_| false),
    ("man", |_| false),
];

/// Options that mean something of their own to a command: the command, the option, and what its help says of it.
const OWN_MEANING: [(&str, &str, &str); 7] = [
    ("runtimes", "--reads", "How often each probe reads each clock: 10000, 10k, 1e6 [default: 100000]"),
    ("deltas", "--all", "Show a row for each difference"),
    ("span", "--all", "Show the error of each length, and notes in full"),
    ("interruptions", "--all", "Show tables for each CPU, however many there are, and notes in full"),
    ("timers", "--all", "Show a row for each way and length, and notes in full"),
    ("threads", "--all", "Show each thread of every number of them, and notes in full"),
    ("monitor", "--all", "Show the stability of every clock in the report"),
];

fn refuses(refused: &[Refused], option: &str) -> bool {
    refused.iter().any(|(name, _)| *name == option)
}

/// Takes out of each command's help what the command does not take. It is known all the same, so that the command can say
/// what to do instead. What it takes in a sense of its own, it says in words of its own.
pub(crate) fn only_what_they_take(program: clap::Command) -> clap::Command {
    let options: Vec<clap::Arg> = program.get_arguments().filter(|option| option.is_global_set()).cloned().collect();
    let name = |option: &clap::Arg| option.get_long().map_or_else(String::new, |long| format!("--{long}"));
    let program = TAKES.iter().fold(program, |program, (command, takes)| {
        let is_hidden = |option: &&clap::Arg| MEASURING.contains(&name(option).as_str()) && !takes(&name(option));
        let hidden: Vec<clap::Arg> = options.iter().filter(is_hidden).map(|option| option.clone().hide(true)).collect();
        program.mut_subcommand(command, |command| command.args(hidden))
    });
    OWN_MEANING.iter().fold(program, |program, (command, of, help)| {
        let own: Vec<clap::Arg> =
            options.iter().filter(|option| name(option) == *of).map(|option| option.clone().help(*help)).collect();
        program.mut_subcommand(command, |command| command.args(own))
    })
}

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
            /// As it is typed.
            pub(crate) fn name(&self) -> &'static str {
                match self {
                    $(Self::$name(_) => stringify!($file),)*
                }
            }

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
    runtimes: Runtimes,
    doctor: Doctor,
    check: Check,
    analyze: Analyze,
    compare: Compare,
    report: Report,
    export: Export,
    explain: Explain,
    schema: Schema,
    completions: Completions,
    man: Man,
}
