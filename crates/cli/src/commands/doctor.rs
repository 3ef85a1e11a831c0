//! `clockscope doctor`: findings only, with fixes; with `--for`, which clocks programs take.

use std::path::PathBuf;

use clap::ValueEnum;
use clockscope_analysis::judge::{advise, clocks_of};
use clockscope_analysis::record;
use clockscope_analysis::record::Program;
use clockscope_engine::session::Options;
use clockscope_engine::survey::SURVEY;

use super::steps;
use crate::args::{Call, Gate};
use crate::failure::Failure;
use crate::render::{Findings, Format, prose};
use crate::trace_file::Input;
use crate::watch::Watch;

/// What truetick says of itself once it has been read for as long as its first fit takes: some milliseconds, or never
/// where it does not use the counter.
fn truetick_story() -> String {
    for _ in 0..50 {
        if truetick::Clock::frequency_hz().is_some() {
            break;
        }
        truetick::Instant::now();
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    truetick::Clock::explain()
}

const EXAMPLES: &str = "Examples:
  clockscope doctor                       what is wrong here, why it matters, how to fix it
  clockscope doctor --for postgres        does PostgreSQL take the right clock? what to set?
  clockscope doctor --for go,java         the same of several programs; all: of all that are known
  clockscope doctor --for all --format csv  one row a program and clock

With --for, CSV has the programs' clocks in place of the findings; table, Markdown and JSON have both.";

/// Survey this machine, or take a trace of another one, and tell only what is wrong, why it matters and how to fix it
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Doctor {
    /// A trace to take instead of this machine; - is standard input
    file: Option<PathBuf>,
    /// Which clock a program takes here by its own rules, whether the evidence agrees, and what to set if not: postgres, go,
    /// java, python, dotnet, rust-std, chromium or all; repeatable, or separated by commas
    #[arg(long = "for", value_name = "PROGRAM", value_enum, value_delimiter = ',', hide_possible_values = true)]
    programs: Vec<Name>,
    #[command(flatten)]
    gate: Gate,
}

/// What `--for` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Name {
    /// PostgreSQL: EXPLAIN ANALYZE, track_io_timing, and timing_clock_source of 19
    #[value(alias = "postgresql")]
    Postgres,
    /// Go: time.Now, time.Since
    #[value(alias = "golang")]
    Go,
    /// Java: System.nanoTime, Instant.now
    #[value(alias = "jvm")]
    Java,
    /// Python: time.perf_counter, time.time
    #[value(alias = "cpython")]
    Python,
    /// .NET: Stopwatch, DateTime.UtcNow
    #[value(alias = ".net")]
    Dotnet,
    /// Rust's standard library: Instant, SystemTime
    #[value(alias = "rust")]
    RustStd,
    /// Chromium: base::TimeTicks, performance.now
    #[value(alias = "chrome")]
    Chromium,
    /// All of them
    All,
}

impl Name {
    fn programs(self) -> Vec<Program> {
        vec![match self {
            Self::Postgres => Program::Postgres,
            Self::Go => Program::Go,
            Self::Java => Program::Java,
            Self::Python => Program::Python,
            Self::Dotnet => Program::Dotnet,
            Self::RustStd => Program::RustStd,
            Self::Chromium => Program::Chromium,
            Self::All => return Program::ALL.to_vec(),
        }]
    }
}

impl Doctor {
    /// Of this machine it also tells what the timestamp library makes of it.
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        let cli = &Call { gate: self.gate.clone(), ..cli.clone() };
        let sink = steps::sink(cli)?;
        let (record, watch) = if let Some(path) = &self.file {
            (record(&steps::trace(cli, Input::open(path)?, |_| ())?), None)
        } else {
            let mut watch = steps::watch(cli)?;
            let analysis = steps::machine(&SURVEY, &self.options(cli), &mut watch)?;
            (record(&analysis), Some(watch))
        };
        let programs = self.asked();
        let mut text = steps::text(cli, &Findings { record: &record, programs: &advise(&record, &programs) })?;
        if cli.all && watch.is_some() && cli.output.format()? == Format::Table {
            text += &prose::story("What truetick makes of this machine", &truetick_story(), cli.output.view());
        }
        sink.finish_with(&text)?;
        watch.map_or(Ok(()), Watch::finish)?;
        steps::gate(cli, &record.findings)
    }

    /// The programs asked for, each once, in that order.
    fn asked(&self) -> Vec<Program> {
        let mut asked = Vec::new();
        for program in self.programs.iter().flat_map(|name| name.programs()) {
            if !asked.contains(&program) {
                asked.push(program);
            }
        }
        asked
    }

    /// The survey's options: where clocks are named, the programs' are measured beside them.
    fn options(&self, cli: &Call) -> Options {
        let mut options = cli.measure.options(None);
        if !options.clocks.is_empty() {
            options.beside.extend(self.asked().into_iter().flat_map(clocks_of).map(str::to_owned));
        }
        options
    }
}
