//! `clockscope skew` on this machine. Asserted is only what no load can break.

use std::process::{Command, Stdio};
use std::time::Duration;

use clockscope_analysis::record::{Record, Skew, SkewReport};
use clockscope_engine::measure::allowed_cpus;

fn done(command: &mut Command) -> (Option<i32>, String, String) {
    let output = command.stdin(Stdio::null()).env_remove("COLUMNS").output().expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn run(args: &[&str]) -> (Option<i32>, String, String) {
    done(Command::new(env!("CARGO_BIN_EXE_clockscope")).args(args))
}

/// Runs on the first of the allowed CPUs alone.
fn on_one(args: &[&str]) -> (Option<i32>, String, String) {
    let first = allowed_cpus().expect("the allowed CPUs")[0].to_string();
    let program = env!("CARGO_BIN_EXE_clockscope");
    done(Command::new("taskset").args(["-c", &first, program]).args(args))
}

fn has_two() -> bool {
    allowed_cpus().is_ok_and(|cpus| cpus.len() > 1)
}

/// Whether the kernel keeps time by the CPUs' counters, and so takes them to agree.
fn trusts_counters() -> bool {
    let current = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    std::fs::read_to_string(current).is_ok_and(|name| ["tsc", "arch_sys_counter"].contains(&name.trim()))
}

/// Where the machine's CPUs agree, no load makes them look otherwise. The kernel's clocks do on any machine.
fn assert_agreement(skew: &Skew) {
    if !skew.clock.starts_with("monotonic") && !trusts_counters() {
        return;
    }
    assert_eq!(skew.backward.count, 0, "{skew:?}");
    assert_ne!(skew.agree, Some(false), "{skew:?}");
    for pair in &skew.pairs {
        let Some((low, high)) = pair.low_ns.zip(pair.high_ns) else {
            assert!(pair.missing.is_some(), "{pair:?}");
            continue;
        };
        assert!(low <= 0.0 && 0.0 <= high, "{pair:?}");
        assert_eq!(pair.constant, Some(true), "{pair:?}");
    }
}

#[test]
fn the_cpus_here_agree_and_the_report_obeys_its_schema() {
    if !has_two() {
        return;
    }
    let (code, out, err) = run(&["skew", "--time", "400ms", "--format", "json"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let value: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let schema: serde_json::Value = serde_json::from_str(include_str!("../../../docs/skew.schema.json")).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let report: SkewReport = serde_json::from_value(value).expect("a report");
    assert_eq!(report.clocks.last().map(|skew| skew.clock.as_str()), Some("monotonic"));
    report.clocks.iter().for_each(assert_agreement);
    assert!(report.clocks.iter().any(|clock| clock.backward.of > 0), "nothing was read at all");
}

#[test]
fn every_format_and_any_clock() {
    if !has_two() {
        return;
    }
    for (format, word) in [("table", "monotonic-raw: "), ("csv", "clock,cpu_a,cpu_b,"), ("markdown", "| CPUs |")] {
        let clocks = ["--clock", "monotonic-raw,boottime", "--time", "100ms"];
        let (code, out, err) = run(&[&["skew", "--format", format][..], &clocks].concat());
        assert_eq!(code, Some(0), "{err}");
        assert!(out.contains(word), "{out}");
    }
}

#[test]
fn one_cpu_exits_3_with_the_reason() {
    let (code, out, err) = on_one(&["skew"]);
    assert_eq!((code, out.as_str()), (Some(3), ""));
    assert!(err.contains("two CPUs") && err.contains("taskset"), "{err}");
}

#[test]
fn wrong_usage_exits_2_with_what_would_be_right() {
    let first = allowed_cpus().expect("the allowed CPUs")[0].to_string();
    for (args, hint) in [
        (&["--cpus", "all"][..], "as in 0-3,8"),
        (&["--cpus", "60000,60001"], "CPU 60000 is not among"),
        (&["--cpus", &first], "two or more of"),
        (&["--clock", "monotonc"], "did you mean monotonic"),
        (&["--clock", "thread-cputime"], "counts CPU time"),
        (&["--reads", "1000"], "take --time"),
    ] {
        if !has_two() && args[0] == "--cpus" && args[1] != "all" {
            continue;
        }
        let (code, out, err) = run(&[&["skew"], args].concat());
        assert_eq!((code, out.as_str()), (Some(2), ""), "{args:?}: {err}");
        assert!(err.contains(hint), "{args:?}: {err}");
    }
}

#[test]
fn the_survey_compares_too_or_says_why_not() {
    let survey = ["--time", "600ms", "--format", "json"];
    let record = |out: &str| serde_json::from_str::<Record>(out).expect("a record");
    let (code, out, err) = on_one(&survey);
    assert_eq!(code, Some(0), "{err}");
    let one = record(&out);
    assert!(one.skew.is_empty());
    assert!(one.run.notes.iter().any(|note| note.contains("skew between CPUs not measured")), "{:?}", one.run.notes);
    if has_two() {
        let both = record(&run(&survey).1);
        let base = |id: &str| both.clocks.iter().find(|clock| clock.id == id).map(|clock| clock.base.as_str());
        assert!(both.skew.iter().any(|skew| base(&skew.clock) == Some("monotonic")));
        both.skew.iter().for_each(assert_agreement);
        assert!(!trusts_counters() || both.findings.iter().all(|finding| finding.code != "CS016"));
    }
}

#[test]
fn a_signal_ends_it_and_what_there_is_is_printed() {
    if !has_two() {
        return;
    }
    let child = Command::new(env!("CARGO_BIN_EXE_clockscope"))
        .args(["skew", "--time", "60s"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    std::thread::sleep(Duration::from_millis(600));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&output.stdout).contains("Interrupted:"));
}
