//! `cargo xtask atlas`: what the counters of known machines really resolve and cost, a row a record.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use clockscope_analysis::Resolution;
use clockscope_analysis::record::{Clock, Kind, Record};
use clockscope_analysis::text::{cost, fine_time, time};

use crate::shell;

const PAGE: &str = "docs/atlas.md";
/// Where the records lie that the page is made of.
const RECORDS: &str = "atlas";
const MARKS: [&str; 2] = ["<!-- machines -->", "<!-- end of machines -->"];

/// What to show.
#[derive(Args)]
pub(crate) struct Options {
    /// Records (JSON) of further machines; those of the folder atlas/ always are there
    records: Vec<PathBuf>,
    /// Write the table into docs/atlas.md, of the folder's records alone
    #[arg(long, conflicts_with = "records")]
    write: bool,
    /// Fail if docs/atlas.md has another table than the folder's records make
    #[arg(long, conflicts_with_all = ["records", "write"])]
    check: bool,
}

/// Prints the table, or writes or checks the page.
pub(crate) fn run(options: &Options) -> Result<()> {
    let folder = shell::root().join(RECORDS);
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .with_context(|| format!("can't read {}", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    files.sort();
    files.extend(options.records.iter().cloned());
    let rows = files.iter().map(|file| Ok(row(&read(file)?, is_of_lab(file)))).collect::<Result<Vec<_>>>()?;
    let table = table(&rows);
    if !options.write && !options.check {
        print!("{table}");
        return Ok(());
    }
    let path = shell::root().join(PAGE);
    let page = fs::read_to_string(&path).with_context(|| format!("can't read {PAGE}"))?;
    let [before, after] = MARKS.map(|mark| page.find(mark).with_context(|| format!("{PAGE} has no mark {mark}")));
    let made = format!("{}{}\n\n{table}\n{}", &page[..before?], MARKS[0], &page[after?..]);
    if options.check {
        ensure!(made == page, "{PAGE} is not what the records make: cargo xtask atlas --write");
        return Ok(());
    }
    fs::write(&path, made).with_context(|| format!("can't write {PAGE}"))
}

/// Fails if the page has another table than its records make.
pub(crate) fn check() -> Result<()> {
    run(&Options { records: Vec::new(), write: false, check: true })
}

fn read(file: &Path) -> Result<Record> {
    let text = fs::read_to_string(file).with_context(|| format!("can't read {}", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is no record", file.display()))
}

/// Whether the record is of a guest of the lab, whose devices and costs are the emulator's.
fn is_of_lab(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("lab-"))
}

fn table(rows: &[[String; 12]]) -> String {
    let mut out =
        "| CPU | on | clocksource | counter | its step | which is | `monotonic` resolves | costs | its system call \
                   | `tscp` costs | CPUs | by |\n\
                   | --- | --- | --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | --- | --- |\n"
            .to_owned();
    for row in rows {
        let _ = writeln!(out, "| {} |", row.join(" | ").replace('\n', " "));
    }
    out
}

fn row(record: &Record, is_of_lab: bool) -> [String; 12] {
    let machine = &record.machine;
    let find = |id: &str| record.clocks.iter().find(|clock| clock.id == id);
    let costs =
        |id: &str| find(id).and_then(Clock::certain_cost).and_then(|it| cost(&it)).unwrap_or_else(|| "–".into());
    // The machine's own counter, by its finest reading.
    let counter = record.clocks.iter().filter(|clock| clock.kind == Kind::Counter);
    let step = counter.filter_map(|clock| clock.tick_ns.quantum).reduce(f64::min);
    let frequencies = machine.tsc.iter().flat_map(|tsc| &tsc.frequencies_hz);
    let hz =
        frequencies.map(|it| (it.source == "measured", it.hz)).reduce(|a, b| if a.0 { a } else { b }).map(|it| it.1);
    let ticks = step.zip(hz).map(|(ns, hz)| ns * hz / 1e9);
    let model = machine.cpu.model.clone().unwrap_or_else(|| machine.arch.clone());
    let stepping = machine.cpu.family_model_stepping;
    let resolution = find("monotonic").and_then(Clock::resolution).map(|it| match it {
        Resolution::Of { ns, .. } => fine_time(ns),
        Resolution::AtMost(ns) => format!("≤ {}", fine_time(ns)),
    });
    let on = match (&machine.virtualization.hypervisor, machine.virtualization.guest) {
        _ if is_of_lab => "the lab's emulator".to_owned(),
        (Some(name), _) => name.clone(),
        (None, Some(false)) => "bare metal".into(),
        (None, _) => "a guest, or not known".into(),
    };
    let tested = record.run.started.as_deref().and_then(|day| day.get(..10)).unwrap_or("day not stated");
    [
        stepping.map_or(model.clone(), |at| format!("{model} ({})", at.map(|n| n.to_string()).join("/"))),
        on,
        machine.clocksource.current.clone().unwrap_or_else(|| "–".into()),
        hz.map_or_else(|| "–".into(), |hz| format!("{:.3} MHz", hz / 1e6)),
        match (step, ticks) {
            (Some(ns), Some(ticks)) => format!("{} ticks, {}", counted(ticks), fine_time(ns)),
            (Some(ns), None) => fine_time(ns),
            (None, _) => "not found".into(),
        },
        step.map_or_else(|| "–".into(), |ns| explained(ns, ticks)),
        resolution.unwrap_or_else(|| "–".into()),
        costs("monotonic"),
        costs("monotonic@syscall"),
        costs("tscp"),
        apart(record),
        format!("{} {}, {tested}", record.tool.name, record.tool.version),
    ]
}

/// How many ticks a step is: whole where it may be, as a hypervisor that scales the counter need not leave it so.
fn counted(ticks: f64) -> String {
    if (ticks - ticks.round()).abs() < 0.05 { format!("{ticks:.0}") } else { format!("{ticks:.1}") }
}

/// How far apart the CPUs may be by the counter's comparison.
fn apart(record: &Record) -> String {
    let counter = |clock: &str| record.clocks.iter().any(|it| it.id == clock && it.kind == Kind::Counter);
    let Some(skew) = record.skew.iter().find(|skew| counter(&skew.clock)) else { return "not compared".into() };
    let ends = skew.pairs.iter().flat_map(|pair| [pair.low_ns, pair.high_ns]).flatten();
    let widest = ends.map(f64::abs).fold(0.0, f64::max);
    match skew.agree {
        Some(true) => format!("{} agree within {}", skew.cpus.len(), time(widest)),
        Some(false) => format!("{} disagree, by up to {}", skew.cpus.len(), time(widest)),
        None => "not compared".into(),
    }
}

/// Clocks that counters are made of, MHz.
const KNOWN: [(f64, &str); 8] = [
    (100.0, "the 100 MHz base clock"),
    (24.0, "a 24 MHz crystal"),
    (25.0, "a 25 MHz crystal"),
    (19.2, "a 19.2 MHz crystal"),
    (38.4, "a 38.4 MHz crystal"),
    (62.5, "a counter of 62.5 MHz"),
    (1000.0, "the 1 GHz that Arm's architecture asks for"),
    (3.579_545, "the ACPI timer's 3.58 MHz"),
];

/// The clock whose period the step is, ns: one of the known to half a percent, by which hypervisors scale counters; else it is
/// told by what share of the counter's own ticks moves it.
fn explained(step_ns: f64, ticks: Option<f64>) -> String {
    let mhz = 1e3 / step_ns;
    if let Some((_, name)) = KNOWN.iter().find(|(known, _)| (mhz / known - 1.0).abs() < 5e-3) {
        return format!("{name} ({mhz:.2} MHz)");
    }
    match ticks {
        Some(ticks) if (ticks - 1.0).abs() < 0.01 => "each tick".into(),
        Some(ticks) if (ticks - ticks.round()).abs() < 0.01 && ticks < 9.5 => format!("{ticks:.0} ticks at a time"),
        _ => format!("{mhz:.2} MHz"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_explained_by_the_clock_whose_period_it_is() {
        assert_eq!(explained(10.014_836, Some(26.0)), "the 100 MHz base clock (99.85 MHz)");
        assert_eq!(explained(41.667, None), "a 24 MHz crystal (24.00 MHz)");
        assert_eq!(explained(0.869_565, Some(2.0)), "2 ticks at a time");
        assert_eq!(explained(0.333, Some(1.0)), "each tick");
        assert_eq!(explained(7.7, Some(20.02)), "129.87 MHz");
    }

    #[test]
    fn ticks_are_whole_only_where_they_are() {
        assert_eq!([24.5003, 25.998, 2.0, 0.5].map(counted), ["24.5", "26", "2", "0.5"]);
    }

    #[test]
    fn the_fixture_is_a_row() {
        let file = shell::root().join("crates/cli/tests/fixtures/record.json");
        let row = row(&read(&file).unwrap(), is_of_lab(&file));
        assert_eq!(row[0], "AMD EPYC 9B14 96-Core Processor (25/17/1)");
        assert_eq!([&row[1], &row[2], &row[4]], ["kvm", "tsc", "26 ticks, 10.01 ns"]);
        assert!(is_of_lab(Path::new("atlas/lab-hpet.json")));
        assert!(row[5].starts_with("the 100 MHz") && row[3] == "2596.145 MHz", "{row:?}");
    }
}
