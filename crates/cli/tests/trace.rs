//! Traces: what a run saw gives the same figures again, here and from files of other machines.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clockscope_analysis::record::{QuantumMethod, Record};

fn run(args: &[&str]) -> (Option<i32>, String, String) {
    fed(args, &[])
}

fn fed(args: &[&str], input: &[u8]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clockscope"));
    command.args(args).env_remove("COLUMNS").stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    // One that refuses its arguments does not read.
    let _ = child.stdin.take().expect("it is piped").write_all(input);
    let output = child.wait_with_output().expect("the program ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces").join(name)
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
    ] {
        for format in ["json", "csv", "markdown"] {
            let args = [task, &["--trace", file, "--format", format]].concat();
            let (code, live, err) = run(&args);
            if task[0] == "skew" && code == Some(3) {
                continue; // One CPU.
            }
            assert_eq!((code, err.as_str()), (Some(0), ""), "{args:?}");
            let (code, again, err) = run(&["analyze", file, "--format", format]);
            assert_eq!((code, err.as_str()), (Some(0), ""));
            // A CSV row is written when its clock is finished: looks that follow may still change its counts.
            if task[0] == "--time" && format == "csv" {
                let ids = |text: &str| -> Vec<String> {
                    text.lines().map(|line| line.split(',').next().unwrap_or_default().to_owned()).collect()
                };
                let (mut live, mut again) = (ids(&live), ids(&again));
                live.sort();
                again.sort();
                assert_eq!(live, again);
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
    let (code, _, _) = run(&["--time", "100ms", "--clock", "monotonic", "--trace", file.to_str().unwrap()]);
    assert_eq!(code, Some(0));
    let whole = std::fs::read(&file).unwrap();
    let half = &whole[..whole.len() / 2];
    let (code, out, err) = fed(&["analyze", "-", "--format", "json"], half);
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("standard input can't be read beyond its observation"), "{err}");
    let record: Record = serde_json::from_str(&out).unwrap();
    assert!(record.run.interrupted && record.clocks.len() == 1);
}

#[test]
fn what_is_no_trace_is_refused_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let text = file("text", b"tsc 20\ntsc 30\n");
    let empty = file("empty", b"");
    let missing = folder.path().join("missing");
    for (args, why) in [
        (vec!["analyze", text.as_str()], "is no trace"),
        (vec!["analyze", &empty], "is no trace"),
        (vec!["analyze", missing.to_str().unwrap()], "can't read"),
        (vec!["analyze"], "<FILE>"),
        (vec!["doctor", &text], "is no trace"),
        (vec!["analyze", &text, "--trace", "x"], "leave it out"),
        (vec!["--trace", "/no/such/place/a.trace"], "can't create /no/such/place/a.trace"),
        (vec!["sweep", "--trace", "x"], "leave out --trace"),
    ] {
        let (code, out, err) = run(&args);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{args:?}");
        assert!(err.contains(why), "{args:?}: {err}");
    }
}

/// Readings of an Intel machine whose counter moves in steps of two ticks, made by another program.
#[test]
fn a_machine_without_a_coarse_lattice_is_shown_as_it_is() {
    let (code, out, err) = run(&["analyze", fixture("intel-spr.trace").to_str().unwrap(), "--format", "json"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let record: Record = serde_json::from_str(&out).unwrap();
    let tick = |id: &str| &record.clocks.iter().find(|clock| clock.id == id).unwrap().tick_ns;
    let monotonic = tick("monotonic");
    assert_eq!(monotonic.method, QuantumMethod::Lattice);
    let (low, high) = (monotonic.quantum_low.unwrap(), monotonic.quantum_high.unwrap());
    // Two ticks of 2.6 GHz, by the kernel's rate.
    let truth = 2.0 / 2.6;
    assert!(low - 1e-4 <= truth && truth <= high + 1e-4 && high - low < 1e-3, "{monotonic:?}");
    assert_eq!(tick("tsc-fenced").quantum.map(|ns| (ns * 2.6).round()), Some(2.0));
    assert!(record.clocks.iter().all(|clock| clock.regressions.count == 0 && clock.cost_ns.is_none()));
}

/// Surveys recorded on machines and in guests whose clocks are known.
#[test]
fn recorded_machines_are_told_apart() {
    for name in ["amd-milan", "jiffies", "kvm-clock"] {
        let path = fixture(&format!("{name}.trace"));
        let (code, out, err) = run(&["analyze", path.to_str().unwrap(), "--format", "markdown"]);
        assert_eq!((code, err.as_str()), (Some(0), ""), "{name}");
        insta::assert_snapshot!(name, out);
    }
}
