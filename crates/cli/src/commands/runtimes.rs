//! `clockscope runtimes`: what programmers of each language get.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use clockscope_engine::runtimes::{Builds, Options, run};

use super::{Refused, steps};
use crate::args::{Call, duration};
use crate::clocksource::under;
use crate::failure::Failure;
use crate::watch::Watch;

/// Readings of each clock unless asked otherwise.
const SAMPLES: u64 = 100_000;
/// Pairs of batches of each clock: their median's 95 % interval is some 10 of them wide.
const PAIRS: u64 = 31;

const RUNTIMES_HELP: &str = "\
Examples:
  clockscope runtimes                        every runtime that is installed
  clockscope runtimes python node            these two
  clockscope runtimes --format csv           a row a clock, for a program
  clockscope runtimes rust-crates --fetch    one whose build asks a package registry
  clockscope runtimes c --save readings      and every reading, in readings/c.txt
  sudo clockscope runtimes --under hpet      while the kernel's clocks run on the HPET

Each runtime's probe, a small program in its language, is built once and kept below ~/.cache/clockscope. It writes down \
readings of the language's clocks and times batches of them; what is made of them is what `clockscope analyze` makes of any \
samples. Then it runs once more, briefly, with its clock reads turned into system calls and watched (ptrace), which tells \
the OS clock beneath.";

pub(super) const REFUSED: &[Refused] = &[
    (
        "--clock",
        "runtimes takes names of runtimes, as in `clockscope runtimes python node`, and shows all their clocks",
    ),
    ("--ref", "a probe tells its readings alone, so there is no reference to choose; leave out --ref"),
    (
        "--time",
        "a probe takes as many readings as it is told, however long that takes: --reads, and --limit for the longest",
    ),
    ("--seed", "there is no chance in it; leave out --seed"),
    ("--trace", "a probe's readings are its own; `clockscope analyze` takes what the probes write"),
    ("--hostname", "the host's name is in traces and records of a survey only; leave out --hostname"),
    ("--machine-id", "the machine's pseudonym is in traces and records of a survey only; leave out --machine-id"),
];

/// Show what the clocks of the language runtimes here cost and resolve, and the OS clock beneath each
#[derive(Debug, clap::Args)]
#[command(after_help = RUNTIMES_HELP)]
pub struct Runtimes {
    /// Names of runtimes, as in python or jvm [default: all]
    #[arg(value_name = "RUNTIME")]
    names: Vec<String>,
    /// Let builds fetch packages from a registry, where they need some
    #[arg(long)]
    fetch: bool,
    /// Build nothing and need no compilers: run what was built before, as on another machine
    #[arg(long, conflicts_with = "fetch")]
    no_build: bool,
    /// Make this the kernel's clocksource meanwhile, for the whole machine; the old one comes back (needs root)
    #[arg(long, value_name = "CLOCKSOURCE")]
    under: Option<String>,
    /// Save what each probe wrote in this folder, <runtime>.txt, as `clockscope analyze` reads it
    #[arg(long, value_name = "FOLDER")]
    save: Option<PathBuf>,
    /// Longest time for one probe
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "20s")]
    limit: Duration,
}

impl Runtimes {
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        steps::refuse(cli, REFUSED)?;
        let sink = steps::sink(cli)?;
        let measure = cli.measure.options(None);
        if let Some(folder) = &self.save {
            fs::create_dir_all(folder).map_err(|error| Failure::create(folder, &error))?;
        }
        let options = Options {
            names: self.names.clone(),
            samples: measure.reads.unwrap_or(SAMPLES).max(2),
            pairs: PAIRS,
            cpu: measure.cpu,
            builds: match (self.no_build, self.fetch) {
                (true, _) => Builds::Kept,
                (false, false) => Builds::Local,
                (false, true) => Builds::Fetched,
            },
            limit: self.limit,
            save: self.save.clone(),
        };
        let mut watch = Watch::new(&cli.output, steps::signals(), None);
        let mut report = || run(&options, &mut watch).map_err(Failure::from);
        let report = match &self.under {
            Some(clocksource) => under(clocksource, report),
            None => report(),
        };
        watch.clear();
        let report = report?;
        sink.finish_with(&steps::text(cli, &report)?)?;
        watch.finish()
    }
}
