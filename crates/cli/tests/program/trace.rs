//! Traces: what a run saw gives the same figures again, here and from files of other machines.

use std::collections::BTreeSet;

use clockscope_analysis::record::{QuantumMethod, Record};

use crate::{clockscope, done, quiet, refused, run, well};

/// What is made of a checked-in trace.
fn analyzed(name: &str, format: &str) -> String {
    let file = format!("{}/tests/traces/{name}.trace", env!("CARGO_MANIFEST_DIR"));
    quiet(run(&["analyze", &file, "--format", format]))
}

#[test]
fn whatever_made_a_trace_is_made_of_it_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.trace");
    let file = file.to_str().unwrap();
    for task in [
        &["--time", "300ms"][..],
        &["--time", "50ms", "--clock", "monotonic", "--reads", "5000"],
        &["deltas", "monotonic", "--time", "100ms"],
        &["skew", "--time", "100ms"],
        &["threads", "--time", "100ms", "--threads", "1,3", "--clock", "monotonic,truetick"],
    ] {
        for format in ["json", "csv", "markdown"] {
            let args = [task, &["--trace", file, "--format", format]].concat();
            let ended = run(&args);
            if task[0] == "skew" && ended.0 == Some(3) {
                continue; // One CPU.
            }
            let live = quiet(ended);
            let again = quiet(run(&["analyze", file, "--format", format]));
            // A CSV row is written when its clock is finished: looks that follow may still change its counts.
            if task[0] == "--time" && format == "csv" {
                let ids = |text: &str| -> BTreeSet<String> {
                    text.lines().filter_map(|line| Some(line.split(',').next()?.to_owned())).collect()
                };
                assert_eq!(ids(&live), ids(&again));
                assert_eq!(live.lines().count(), again.lines().count());
            } else {
                assert_eq!(live, again, "{args:?}");
            }
        }
    }
}

#[test]
fn a_trace_that_ends_early_counts_as_far_as_it_goes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.trace");
    well(run(&["--time", "100ms", "--clock", "monotonic", "--trace", file.to_str().unwrap()]));
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let half = std::fs::File::open(&file).unwrap();
    let (code, out, err) = done(clockscope(&["analyze", "-", "--format", "json"]).stdin(half));
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("standard input can't be read beyond its observation"), "{err}");
    let record: Record = serde_json::from_str(&out).unwrap();
    assert!(record.run.interrupted && record.clocks.len() == 1);
}

#[test]
fn what_is_no_trace_is_refused_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let [text, empty, missing] = ["text", "empty", "missing"].map(|name| folder.path().join(name));
    std::fs::write(&text, b"tsc 20\ntsc 30\n").unwrap();
    std::fs::write(&empty, b"").unwrap();
    for (command, file, why) in [
        ("analyze --input trace", &text, "is no trace"),
        ("analyze", &empty, "empty is empty"),
        ("analyze", &missing, "can't read"),
        ("doctor", &text, "is no trace"),
        ("analyze --trace x", &text, "leave it out"),
    ] {
        let args: Vec<&str> = command.split(' ').collect();
        refused(done(clockscope(&args).arg(file)), 2, &[why]);
    }
}

/// Readings of an Intel machine whose counter moves in steps of two ticks, made by another program.
#[test]
fn a_machine_without_a_coarse_lattice_is_shown_as_it_is() {
    let record: Record = serde_json::from_str(&analyzed("intel-spr", "json")).unwrap();
    let tick = |id: &str| &record.clocks.iter().find(|clock| clock.id == id).unwrap().tick_ns;
    let monotonic = tick("monotonic");
    // Two ticks of 2.6 GHz, by the kernel's rate: below the unit, and the reads favour some of them.
    let truth = 2.0 / 2.6;
    assert_eq!(monotonic.method, QuantumMethod::Limit);
    assert!(monotonic.quantum_high.is_some_and(|high| truth < high && high < 1.5), "{monotonic:?}");
    assert_eq!(tick("tsc-fenced").quantum.map(|ns| (ns * 2.6).round()), Some(2.0));
    assert!(record.clocks.iter().all(|clock| clock.regressions.count == 0 && clock.cost_ns.is_none()));
}

/// Surveys recorded on machines and in guests whose clocks are known.
#[test]
fn recorded_machines_are_told_apart() {
    for name in ["amd-milan", "jiffies", "kvm-clock"] {
        insta::assert_snapshot!(name, analyzed(name, "markdown"));
    }
}
