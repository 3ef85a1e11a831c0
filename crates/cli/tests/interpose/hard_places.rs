//! Clocks that are broken beyond measuring, or forbidden: a clean end with a reason, no panic, no hang.

use std::ffi::{OsStr, OsString};
use std::process::Output;
use std::time::Duration;

use assert_cmd::Command;
use clockscope_analysis::record::{Monotonic, Record};

use clockscope_interpose::{Helper, Injection, built};

use crate::{alone, clockscope};

/// Runs the program; killed after a minute, which the caller sees as an end without an exit code.
fn run(program: impl AsRef<OsStr>, arguments: &[&str], variables: Vec<(&'static str, OsString)>) -> Output {
    let mut command = Command::new(program);
    command.args(arguments).envs(variables).timeout(Duration::from_secs(60));
    let output = command.output().expect("clockscope runs");
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(!complaints.contains("panicked"), "{arguments:?}: {complaints}");
    assert!(output.status.code().is_some(), "{arguments:?}: hung or died: {output:?}");
    output
}

/// Clocks that no program could work with.
const BROKEN: [(&str, &str); 6] = [
    ("garbage", "monotonic garbage every=1"),
    ("backwards", "monotonic rate -2000000ppm"),
    ("frozen", "monotonic rate -1000000ppm"),
    ("slow", "monotonic slow 5ms every=1"),
    ("denied", "monotonic fail EPERM every=1"),
    ("denied later", "monotonic fail EPERM from=1000"),
];

const SURVEY: [&str; 3] = ["--format", "json", "--no-progress"];

/// Surveys under one of the scripts.
fn survey_under(script: &str, arguments: &[&str]) -> Output {
    let injection = Injection::new(script, 1).unwrap();
    run(clockscope(), &[arguments, &SURVEY].concat(), injection.variables().unwrap())
}

/// The record where there is one; otherwise the exit code is one of the agreed ones and a message says why.
fn ends_well(mode: &str, output: &Output) -> Option<Record> {
    match output.status.code() {
        Some(0) => Some(serde_json::from_slice(&output.stdout).expect("a record")),
        Some(2 | 3) => {
            assert!(!output.stderr.is_empty(), "{mode}: no message");
            None
        }
        code => panic!("{mode}: exit code {code:?}"),
    }
}

fn is_unavailable(record: &Record, id: &str) -> bool {
    record.unavailable.iter().any(|entry| entry.id == id && !entry.reason.is_empty())
}

#[test]
fn broken_clocks_end_well() {
    let _alone = alone();
    for (mode, script) in BROKEN {
        let Some(record) = ends_well(mode, &survey_under(script, &["--clock", "monotonic"])) else { continue };
        if let Some(clock) = record.clocks.iter().find(|clock| clock.id == "monotonic") {
            let faulty = matches!(mode, "garbage" | "backwards");
            assert!(!faulty || clock.monotonic == Monotonic::Violated, "{mode}: {:?}", clock.monotonic);
            assert_ne!(mode, "denied", "a clock that never could be read is among the measured ones");
            let said = clock.cost_ns.is_some() || clock.missing.contains_key("cost_ns");
            assert!(said, "{mode}: neither a cost nor a reason");
        } else {
            assert!(is_unavailable(&record, "monotonic"), "{mode}: no reason");
        }
    }
}

#[test]
fn a_file_is_written_where_the_systems_clock_is_forbidden() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("record.json");
    let script = BROKEN.into_iter().find(|(mode, _)| *mode == "denied").expect("such a script").1;
    let clocks = if cfg!(target_arch = "x86_64") { "tsc,realtime" } else { "realtime" };
    let output = ["--clock", clocks, "--time", "200ms", "--output", file.to_str().expect("a name")];
    let output = survey_under(script, &output);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let bytes = std::fs::read(&file).expect("the file");
    let _: Record = serde_json::from_slice(&bytes).expect("a record");
}

#[test]
fn one_broken_clock_spares_the_others() {
    let _alone = alone();
    for (mode, script) in BROKEN.into_iter().filter(|(mode, _)| ["denied", "garbage", "slow"].contains(mode)) {
        let record = ends_well(mode, &survey_under(script, &[])).expect(mode);
        let others = record.clocks.iter().filter(|clock| clock.id != "monotonic" && clock.cost_ns.is_some());
        assert!(others.count() > 5, "{mode}: the other clocks were not measured");
    }
}

/// Runs under the filter; `None` where no filter can be installed.
fn under_filter(error: &str, ids: &str, arguments: &[&str]) -> Option<Output> {
    let program = clockscope();
    let arguments: Vec<&str> = [error, ids, &program].iter().chain(arguments).copied().collect();
    let output = run(built(Helper::Deny).unwrap(), &arguments, Vec::new());
    (output.status.code() != Some(125)).then_some(output)
}

/// Clocks that take the system call, so that the filter reaches them: CPU time of the process (2), the thread (3).
const DENIED: [&str; 2] = ["process-cputime", "thread-cputime"];

#[test]
fn denied_clocks_are_listed_with_a_reason() {
    for (error, words) in [("EPERM", "not permitted"), ("ENOSYS", "not implemented")] {
        let Some(output) = under_filter(error, "2,3", &["list"]) else { return };
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let text = String::from_utf8_lossy(&output.stdout);
        for id in DENIED {
            assert!(text.contains(id), "{id} is not listed under {error}: {text}");
        }
        assert!(text.contains(error) || text.contains(words), "{error} is not named: {text}");
    }
}

#[test]
fn denied_clocks_are_not_surveyed() {
    let _alone = alone();
    for (error, ids) in [("EPERM", "2,3"), ("ENOSYS", "all")] {
        let Some(output) = under_filter(error, ids, &SURVEY) else { return };
        let Some(record) = ends_well(error, &output) else {
            assert_eq!(ids, "all", "denying two clocks stopped the survey: {output:?}");
            continue;
        };
        for id in DENIED {
            assert!(!record.clocks.iter().any(|clock| clock.id == id), "{id} was measured under {error}");
            assert!(is_unavailable(&record, id), "{id}: no reason under {error}");
        }
        let kernel = record.clocks.iter().any(|clock| clock.id == "monotonic@syscall");
        assert_eq!(kernel, ids != "all", "the raw system call for CLOCK_MONOTONIC under {error} {ids}");
    }
}
