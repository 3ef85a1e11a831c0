//! `cargo xtask bench survey`: our figures beside clockperf's, in one run, the two programs in turn, quiet and
//! under load.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;
use std::{fs, mem};

use anyhow::{Context, Result, ensure};
use clap::Args;
use clockscope_analysis::record::Record;

use super::clockperf;
use super::load::{Load, allowed_cpus};
use super::table::{Rounds, change, markdown};
use super::timed::{self, Timed};
use crate::shell;

/// Busy loops on each CPU while 'loaded' is measured.
const LOOPS: usize = 2;

/// What to run.
#[derive(Args)]
pub(crate) struct Options {
    /// A clockperf binary; otherwise the one on PATH
    #[arg(long, value_name = "BINARY")]
    clockperf: Option<PathBuf>,
    /// A clockscope binary; otherwise the release build of this tree, built first
    #[arg(long, value_name = "BINARY")]
    clockscope: Option<PathBuf>,
    /// Rounds; each runs both programs quiet and loaded
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
}

/// One program's costs by clock, and its own demands, over the rounds.
#[derive(Default)]
struct Seen {
    cost: BTreeMap<String, Rounds>,
    /// How far the median over batches lies above the cheapest batch, %.
    above_min: BTreeMap<String, Rounds>,
    wall_s: Rounds,
    memory_mib: Rounds,
}

impl Seen {
    fn note(&mut self, run: &Timed) {
        self.wall_s.push(run.wall.as_secs_f64());
        self.memory_mib.push(run.peak_memory as f64 / f64::from(1 << 20));
    }

    fn cost(&mut self, id: &str, ns: f64) {
        self.cost.entry(id.to_owned()).or_default().push(ns);
    }

    fn median(&self, id: &str) -> Option<f64> {
        self.cost.get(id)?.median()
    }
}

/// Both programs in one condition.
#[derive(Default)]
struct Condition {
    ours: Seen,
    theirs: Seen,
    /// Clocks in our record's order.
    order: Vec<String>,
}

impl Condition {
    fn round(&mut self, clockscope: &Path, clockperf: Option<&Path>) -> Result<()> {
        let run = timed::run(Command::new(clockscope).args(["--format", "json", "--no-progress"]))?;
        let record: Record = serde_json::from_slice(&run.stdout).context("clockscope's record")?;
        self.ours.note(&run);
        for clock in &record.clocks {
            let Some(cost) = clock.cost_ns else { continue };
            self.ours.cost(&clock.id, cost.median);
            let above = 100.0 * (cost.median / cost.min - 1.0);
            self.ours.above_min.entry(clock.id.clone()).or_default().push(above);
        }
        self.order = record.clocks.into_iter().map(|clock| clock.id).collect();
        if let Some(clockperf) = clockperf {
            let run = timed::run(&mut Command::new(clockperf))?;
            let costs = clockperf::costs(&String::from_utf8_lossy(&run.stdout));
            ensure!(!costs.is_empty(), "{} printed no table that can be read", clockperf.display());
            self.theirs.note(&run);
            for (id, ns) in costs {
                self.theirs.cost(&id, ns);
            }
        }
        Ok(())
    }
}

/// Measures and prints.
pub(crate) fn run(options: &Options) -> Result<()> {
    let clockscope = match &options.clockscope {
        Some(given) => given.clone(),
        None => shell::release_build()?,
    };
    let clockperf = options.clockperf.clone().or_else(|| shell::which("clockperf"));
    let size = fs::metadata(&clockscope).with_context(|| format!("{}", clockscope.display()))?.len();
    let cpus = allowed_cpus()?;
    let (mut quiet, mut loaded) = (Condition::default(), Condition::default());
    for round in 1..=options.rounds {
        eprintln!("round {round} of {}", options.rounds);
        quiet.round(&clockscope, clockperf.as_deref())?;
        let load = Load::start(&cpus, LOOPS);
        sleep(Duration::from_millis(200)); // until the scheduler has spread the loops
        loaded.round(&clockscope, clockperf.as_deref())?;
        mem::drop(load);
    }
    println!(
        "Costs in ns, median (min–max) of {} rounds; loaded: {LOOPS} busy loops on each of {} CPUs.\n",
        options.rounds,
        cpus.len()
    );
    if clockperf.is_none() {
        println!(
            "clockperf was not given (--clockperf BINARY) and is not on PATH. Its column shows the example run in \
             its README instead: v1.0.0, Linux 4.5.0, TSC at 2401 MHz, another machine, quiet only.\n"
        );
    }
    print!("{}", costs(&quiet, &loaded, clockperf.is_some()));
    println!("\n{}", demands(&quiet, &loaded));
    println!("Release binary: {:.2} MiB ({size} bytes)", size as f64 / f64::from(1 << 20));
    Ok(())
}

fn costs(quiet: &Condition, loaded: &Condition, measured: bool) -> String {
    let header = [
        "clock",
        "clockscope quiet",
        "loaded",
        "change",
        "median above cheapest batch, %",
        "clockperf quiet",
        "loaded",
        "change",
    ];
    let shown =
        |seen: &BTreeMap<String, Rounds>, id: &str| seen.get(id).map_or_else(|| "–".into(), |rounds| rounds.shown(2));
    let rows: Vec<Vec<String>> = quiet
        .order
        .iter()
        .map(|id| {
            let published = clockperf::PUBLISHED.iter().find(|(name, _)| name == id && !measured);
            let theirs = published.map_or_else(|| shown(&quiet.theirs.cost, id), |(_, ns)| format!("{ns:.2}"));
            vec![
                id.clone(),
                shown(&quiet.ours.cost, id),
                shown(&loaded.ours.cost, id),
                change(quiet.ours.median(id), loaded.ours.median(id)),
                shown(&quiet.ours.above_min, id),
                theirs,
                shown(&loaded.theirs.cost, id),
                change(quiet.theirs.median(id), loaded.theirs.median(id)),
            ]
        })
        .collect();
    markdown(&header, &rows)
}

fn demands(quiet: &Condition, loaded: &Condition) -> String {
    let header = ["program", "wall quiet, s", "wall loaded, s", "peak memory quiet, MiB", "loaded, MiB"];
    let row = |name: &str, quiet: &Seen, loaded: &Seen| {
        let figures = [&quiet.wall_s, &loaded.wall_s, &quiet.memory_mib, &loaded.memory_mib];
        std::iter::once(name.to_owned()).chain(figures.map(|rounds| rounds.shown(2))).collect()
    };
    let rows = vec![row("clockscope", &quiet.ours, &loaded.ours), row("clockperf", &quiet.theirs, &loaded.theirs)];
    markdown(&header, &rows)
}
