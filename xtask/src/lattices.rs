//! What depends on the host's counter, under other lattices than its own.
//!
//! The interposer takes the host's lattice out of the C library's clocks and puts them on another one, coarser than
//! the host's or below a nanosecond. The survey has to see that one and no fault; and the program's own tests, which
//! read those clocks, have to pass on it. What the vDSO and the counter show stays the host's.

use std::fs;

use anyhow::{Context, Result, ensure};
use clockscope_analysis::record::{Clock, Record};
use clockscope_interpose::{Helper, Injection, built, survey};

use crate::quantum::Quantum;
use crate::shell;

/// Clocks that are made of the counter.
const CLOCKS: &str = "realtime,monotonic,monotonic-raw,boottime,tai,process-cputime,thread-cputime";

/// One kind of machine: its name, its quantum as the script has it, and in ns.
struct Lattice {
    of: &'static str,
    quantum: Option<(&'static str, f64)>,
    /// Whether the program's tests are run on it too.
    tests: bool,
}

const LATTICES: [Lattice; 5] = [
    Lattice { of: "26 ticks of 2.596 GHz", quantum: Some(("26000/2596ns", 26e3 / 2596.0)), tests: true },
    Lattice { of: "2 ticks of 2.6 GHz", quantum: Some(("2000/2600ns", 2e3 / 2600.0)), tests: true },
    Lattice { of: "a counter without steps", quantum: None, tests: false },
    Lattice { of: "an HPET", quantum: Some(("69.841ns", 69.841)), tests: false },
    Lattice { of: "Hyper-V's page", quantum: Some(("100ns", 100.0)), tests: true },
];

/// Values are whole nanoseconds.
const UNIT_NS: f64 = 1.0;

/// All of them; fails where a record says something else of the clocks than what was done to them.
pub(crate) fn check() -> Result<()> {
    let program = shell::release_build()?;
    let ask = |lattice: &str, injection: Option<&Injection>| {
        survey(&program, &["--clock", CLOCKS, "--time", "1500ms"], injection).with_context(|| lattice.to_owned())
    };
    let own = ask("the host's own lattice", None)?;
    let own = own.clocks.iter().find(|clock| clock.id == "monotonic").and_then(|clock| clock.tick_ns.quantum);
    println!("the host's own quantum: {}", own.map_or("none stands out".into(), |own| format!("{own} ns")));
    let dither = own.unwrap_or(UNIT_NS).max(UNIT_NS);
    for Lattice { of, quantum, tests } in LATTICES {
        let step = quantum.map(|(text, _)| format!("; {CLOCKS} quantize {text}")).unwrap_or_default();
        let injection = Injection::new(format!("{CLOCKS} dither {dither}ns{step}"), 1)?;
        let truth = quantum.map_or(Quantum::AtMost(UNIT_NS), |(_, ns)| Quantum::Is(ns));
        let record = ask(of, Some(&injection))?;
        fs::write(shell::target().join("lattice.json"), serde_json::to_string_pretty(&record)?)?;
        agrees(&record, truth).with_context(|| of.to_owned())?;
        if tests {
            println!("the program's tests on the lattice of {of}");
            on(&injection).with_context(|| of.to_owned())?;
        }
    }
    Ok(())
}

/// Whether the record sees the clocks as they are.
fn agrees(record: &Record, truth: Quantum) -> Result<()> {
    for id in CLOCKS.split(',') {
        let clock = record.clocks.iter().find(|clock| clock.id == id).with_context(|| format!("no {id}"))?;
        let said = Quantum::new(clock.tick_ns.quantum, clock.tick_ns.quantum_high);
        println!("{truth:?}: {id}: {said:?}");
        // A read of CPU time takes long, and on a busy machine there are too few of them to say anything. What whole nanoseconds
        // leave of a finer lattice is weak, and whether it stands out of a machine's own rhythm of reads is that machine's affair:
        // nothing false may be said of it. How often it is found is measured on made-up readings (docs/method/truth.md, 'silent').
        let why = clock.missing.get("tick_ns.quantum").map_or("", String::as_str);
        let finer = matches!(truth, Quantum::Is(ns) if ns < UNIT_NS);
        let may_be_silent = id.ends_with("cputime") || finer;
        ensure!(said.is_some() || may_be_silent && !why.is_empty(), "nothing is said of {id}'s quantum: {why}");
        ensure!(said.is_none_or(|said| said.fits(truth, UNIT_NS)), "{id}: {said:?} where {truth:?} is true");
        let found = faults(clock);
        ensure!(found == 0, "{id}: {found} faults that nobody injected; `target/lattice.json` has the record");
    }
    ensure!(record.verdict.intervals.is_some(), "no clock is recommended for intervals");
    Ok(())
}

/// A clock of CPU time may move by less than the dither from one read to the next, and then stands still under it.
fn faults(clock: &Clock) -> u64 {
    let stalls = if clock.id.ends_with("cputime") { 0 } else { clock.stalls.unexplained };
    clock.regressions.count + clock.warps.count + stalls + clock.failed_reads
}

/// The program's tests that read this machine's clocks, they and all that they start on the injection's.
fn on(injection: &Injection) -> Result<()> {
    // The library under a short name: records tell it, and the tests look at how wide their lines are.
    let library = std::env::temp_dir().join(format!("lattice-{}.so", std::process::id()));
    fs::copy(built(Helper::Interposer)?, &library).with_context(|| format!("{}", library.display()))?;
    let runner =
        ["env".into(), format!("LD_PRELOAD={}", library.display()), format!("INTERPOSE={}", injection.script())];
    // A list of strings is written the same way in JSON and in TOML.
    let setting = format!("target.'cfg(unix)'.runner = {}", serde_json::to_string(&runner)?);
    let mut command = shell::cargo();
    command.args(["test", "--quiet"]).args(shell::TESTED);
    command.args(["--no-fail-fast", "--test", "program", "--config", &setting, "--", "survey::", "skew::"]);
    let result = shell::run(&mut command);
    fs::remove_file(&library).with_context(|| format!("{}", library.display()))?;
    result
}
