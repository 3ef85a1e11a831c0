//! The survey, and a clock's differences.

use std::io::{BufRead, BufReader, Read};
use std::process::Command;

use clockscope_analysis::record::{Deltas, Diagnosis, Record, Severity};

use crate::{
    Ended, clockscope, done, first_cpu, has_two, kill, obeying, on_one, pause, quiet, run, start, under, unprivileged,
    well,
};

/// Short runs: what is tested is the way, not the figures.
const SHORT: [&str; 2] = ["--time", "600ms"];

fn short(args: &[&str]) -> Ended {
    run(&[&SHORT, args].concat())
}

fn assert_survey(out: &str) {
    for word in ["For ", "intervals", "Clock ", "Resol", "\nmonotonic ", "\nRun "] {
        assert!(out.contains(word), "'{word}' is missing:\n{out}");
    }
}

#[test]
fn no_arguments_give_the_survey() {
    let out = quiet(run(&[]));
    assert!(!out.contains('\u{1b}'), "colours in a pipe");
    assert_survey(&out);
}

#[test]
fn json_obeys_the_schema() {
    let record: Record = obeying("record.schema.json", &well(short(&["--format", "json"])));
    assert_eq!((record.schema.as_str(), record.machine.hostname), ("clockscope/1", None));
    assert!(record.clocks.iter().any(|clock| clock.id == "monotonic"));
}

#[test]
fn csv_has_one_row_a_clock() {
    let out = well(short(&["--format", "csv", "--clock", "monotonic,realtime"]));
    let mut reader = csv::Reader::from_reader(out.as_bytes());
    let mut ids: Vec<String> = reader.records().map(|row| row.expect("a row")[0].to_owned()).collect();
    ids.sort();
    assert_eq!(ids, ["monotonic", "realtime"]);
}

#[test]
fn list_and_doctor_and_markdown() {
    for (args, word) in [
        (&["list"][..], "\nmonotonic "),
        (&["list"], "clock_gettime(CLOCK_MONOTONIC)"),
        (&["doctor"], "clockscope explain CS"),
        (&["doctor", "--all"], "What truetick makes of this machine"),
        (&["--format", "markdown", "--clock", "monotonic"], "| Clock | Cost ns |"),
    ] {
        let out = well(short(args));
        assert!(out.contains(word), "{out}");
    }
}

#[test]
fn the_width_is_kept() {
    let out = well(done(clockscope(&SHORT).env("COLUMNS", "40")));
    let start = out.find("\nClock ").expect("a table") + 1;
    for line in out[start..].lines().take_while(|line| !line.is_empty()) {
        assert!(line.chars().count() <= 40, "{line}");
    }
}

#[test]
fn a_file_gets_the_whole_result_in_the_format_of_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("record.json");
    assert_eq!(quiet(short(&["--clock", "monotonic", "--output", path.to_str().expect("UTF-8")])), "");
    let record: Record = serde_json::from_slice(&std::fs::read(path).expect("the file is there")).expect("a record");
    assert_eq!(record.clocks.len(), 1);
}

#[test]
fn an_interrupted_run_prints_what_there_is() {
    for (name, code, args) in [("-INT", 130, &[][..]), ("-TERM", 143, &[]), ("-INT", 130, &["skew"])] {
        if args == ["skew"] && !has_two() {
            continue;
        }
        let child = start(&mut clockscope(&[args, &["--time", "60"]].concat()));
        pause(600);
        kill(name, &child.id().to_string());
        let (ended, out, err) = crate::text(child.wait_with_output().expect("it ends"));
        assert_eq!(ended, Some(code), "{err}");
        assert!(out.contains("Cut short:"), "{out}");
        assert!(err.contains("interrupted by signal"), "{err}");
    }
}

#[test]
fn rows_of_a_killed_run_are_there() {
    let mut child = start(&mut clockscope(&["--format", "csv", "--clock", "monotonic,realtime"]));
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    for begins in ["id,api,kind,path,", "realtime,"] {
        let line = lines.next().expect("a line at once").expect("UTF-8");
        assert!(line.starts_with(begins), "{line}");
    }
    kill("-KILL", &child.id().to_string());
    child.wait().expect("it ends");
}

#[test]
fn a_histogram() {
    let out = quiet(short(&["deltas", "monotonic"]));
    assert!(out.starts_with("monotonic: ") && out.contains("Ticks"), "{out}");
    let out = well(short(&["deltas", "monotonic", "--reads", "10000", "--format", "json"]));
    let histogram: Deltas = obeying("deltas.schema.json", &out);
    assert_eq!(histogram.schema, "clockscope-deltas/1");
    let counted: u64 = histogram.rows.iter().map(|row| row.count).sum();
    assert_eq!(counted + histogram.others, histogram.differences);
}

#[test]
fn raw_samples_are_label_and_value() {
    let (code, out, err) = short(&["deltas", "monotonic", "--raw", "--reads", "10000"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("differences in counts of 1 ns"), "{err}");
    assert!(out.lines().count() > 1000);
    for line in out.lines() {
        let (label, value) = line.split_once(' ').expect("two words");
        assert!(label == "monotonic" && value.parse::<i64>().is_ok(), "{line}");
    }
}

#[test]
fn one_allowed_cpu() {
    let out = well(done(&mut on_one(&clockscope(&SHORT))));
    assert!(out.contains(&format!("CPU {}, ", first_cpu())), "{out}");
    let other = if first_cpu() == "0" { "1" } else { "0" };
    assert_eq!(done(&mut on_one(&clockscope(&["--cpu", other]))).0, Some(2));
}

#[test]
fn a_gate_lets_pass_what_is_milder() {
    let gated = |severity, args: &[&str]| short(&[args, &["--fail-on", severity, "--format", "json"]].concat());
    let (_, out, _) = gated("error", &["doctor"]);
    let diagnosis: Diagnosis = obeying("doctor.schema.json", &out);
    let is_hit = |severity| diagnosis.findings.iter().any(|finding| finding.severity <= severity);
    assert_eq!(diagnosis.schema, "clockscope-doctor/1");
    // Which findings there are is the machine's affair; that the gate heeds them is the program's.
    let (code, out, err) = gated("note", &[]);
    let record: Record = obeying("record.schema.json", &out);
    // Of other load it says nothing.
    let counting: Vec<&str> =
        record.findings.iter().filter(|f| !f.of_run && !f.usual).map(|f| f.code.as_str()).collect();
    assert_eq!(code, Some(i32::from(!counting.is_empty())), "{err}");
    assert!(counting.iter().all(|code| err.contains(code)), "{err}");
    let all: Vec<String> = (1..=21).map(|code| code.to_string()).collect();
    let (code, _, err) = gated("note", &["--ignore", &all.join(","), "--ignore", "cs1"]);
    assert_eq!(code, Some(0), "{err}");
    let (code, _, err) = gated("error", &["doctor"]);
    assert!(
        code == Some(0) || (code == Some(1) && err.contains("--fail-on")) || is_hit(Severity::Error),
        "{code:?} {err}"
    );
    for refused in [&["skew", "--fail-on", "error"][..], &["list", "--fail-on", "note"], &["--ignore", "CS009"]] {
        assert_eq!(run(refused).0, Some(2), "{refused:?}");
    }
}

#[test]
fn several_runs_state_what_is_between_them() {
    let out = well(run(&["--time", "100ms", "--runs", "3", "--clock", "tsc,monotonic", "--format", "json"]));
    let record: Record = obeying("record.schema.json", &out);
    for clock in &record.clocks {
        let spread = clock.cost_ns.and_then(|cost| cost.runs).expect("several runs");
        assert!(spread.low <= spread.high && spread.runs <= 3, "{spread:?}");
    }
    assert!(record.run.notes.iter().any(|note| note.contains("the middle run of 3")), "{:?}", record.run.notes);
    for refused in [&["--runs", "0"][..], &["--runs", "2", "--trace", "x"], &["--runs", "2", "list"]] {
        assert_eq!(run(refused).0, Some(2), "{refused:?}");
    }
}

#[test]
fn without_privileges() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_survey(&well(done(&mut unprivileged(clockscope(&SHORT), &folder))));
}

/// In a namespace of its own where /proc and /sys are empty; where the system allows nobody such a namespace, there is
/// nothing to test.
#[test]
fn without_proc_and_sys() {
    let empty = "mount -t tmpfs none /proc && mount -t tmpfs none /sys && exec \"$0\" \"$@\"";
    let unshared = |inner: &Command| done(&mut under("unshare", &["-rm", "sh", "-c", empty], inner));
    if unshared(&Command::new("true")).0 == Some(0) {
        assert_survey(&well(unshared(&clockscope(&SHORT))));
    }
}

#[test]
fn the_shortest_run_has_a_cost_for_every_clock() {
    let json = well(run(&["--time", "50ms", "--format", "json"]));
    let record: Record = serde_json::from_str(&json).expect("a record");
    let without: Vec<&str> =
        record.clocks.iter().filter(|clock| clock.cost_ns.is_none()).map(|clock| clock.id.as_str()).collect();
    assert!(without.is_empty(), "no cost: {without:?}");
}

#[test]
fn a_second_signal_ends_at_once() {
    // A reader that never reads, so that the program can't end by itself once its pipe is full.
    let mut child = start(&mut clockscope(&["deltas", "monotonic", "--raw", "--time", "60"]));
    // So far apart that they are two: of signals that wait for a busy CPU one is left.
    for ms in [1000, 2000] {
        pause(ms);
        kill("-INT", &child.id().to_string());
    }
    let ended = (0..100).find_map(|_| {
        pause(50);
        child.try_wait().expect("a status")
    });
    let _ = child.kill();
    assert_eq!(ended.expect("it ends at once").code(), Some(130));
    let mut rest = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut rest).expect("UTF-8");
    assert!(!rest.contains("panicked"), "{rest}");
}
