//! The program run as a user runs it, on this machine. No figure of time is asserted.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use clockscope_analysis::record::{Deltas, Record};

/// Short runs: what is tested is the way, not the figures.
const SHORT: [&str; 2] = ["--time", "600ms"];

fn clockscope() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clockscope"));
    command.env_remove("COLUMNS").stdin(Stdio::null());
    command
}

/// Exit code, standard output, standard error.
fn done(command: &mut Command) -> (Option<i32>, String, String) {
    let output = command.output().expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn run(args: &[&str]) -> (Option<i32>, String, String) {
    done(clockscope().args(SHORT).args(args))
}

fn assert_survey(text: &str) {
    for word in ["Use\n", "intervals", "Clock ", "Quantum", "\nmonotonic ", "Measured "] {
        assert!(text.contains(word), "'{word}' is missing:\n{text}");
    }
}

#[test]
fn no_arguments_give_the_survey() {
    let (code, out, err) = done(&mut clockscope());
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert_survey(&out);
    assert!(!out.contains('\u{1b}'), "colours in a pipe");
}

#[test]
fn json_obeys_the_schema() {
    let (code, out, _) = run(&["--format", "json"]);
    assert_eq!(code, Some(0));
    let value: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(value["schema"], "clockscope/1");
    assert_eq!(value["machine"]["hostname"], serde_json::Value::Null);
    let schema: serde_json::Value =
        serde_json::from_str(include_str!("../../../docs/record.schema.json")).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let record: Record = serde_json::from_value(value).expect("a record");
    assert!(record.clocks.iter().any(|clock| clock.id == "monotonic"));
}

#[test]
fn csv_has_one_row_a_clock() {
    let (code, out, _) = run(&["--format", "csv", "--clock", "monotonic,realtime"]);
    assert_eq!(code, Some(0));
    let mut reader = csv::Reader::from_reader(out.as_bytes());
    let mut ids: Vec<String> = reader.records().map(|row| row.expect("a row")[0].to_owned()).collect();
    ids.sort();
    assert_eq!(ids, ["monotonic", "realtime"]);
}

#[test]
fn list_and_doctor_and_markdown() {
    let (code, out, _) = done(clockscope().arg("list"));
    assert_eq!(code, Some(0));
    assert!(out.contains("\nmonotonic "), "{out}");
    assert!(out.contains("clock_gettime(CLOCK_MONOTONIC)"), "{out}");
    let (code, out, _) = run(&["doctor"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("`clockscope explain CODE` tells more"), "{out}");
    let (code, out, _) = run(&["--format", "markdown", "--clock", "monotonic"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("| Clock | Cost ns |"), "{out}");
}

#[test]
fn unknown_clocks_exit_2_with_the_nearest() {
    for args in [
        &["--clock", "monotonc"][..],
        &["list", "--clock", "monotonc"],
        &["deltas", "monotonc"],
        &["--ref", "monotonc"],
    ] {
        let (code, out, err) = run(args);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{args:?}: {err}");
        assert!(err.contains("'monotonc'") && err.contains("did you mean monotonic"), "{args:?}: {err}");
    }
}

#[test]
fn a_cpu_that_may_not_be_used_exits_2() {
    let (code, out, err) = run(&["--cpu", "9999"]);
    assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
    assert!(err.contains("CPU 9999"), "{err}");
}

#[test]
fn the_width_is_kept() {
    let (code, out, _) = done(clockscope().args(SHORT).env("COLUMNS", "40"));
    assert_eq!(code, Some(0));
    let start = out.find("\nClock ").expect("a table") + 1;
    for line in out[start..].lines().take_while(|line| !line.is_empty()) {
        assert!(line.chars().count() <= 40, "{line}");
    }
}

#[test]
fn an_output_closed_early_is_a_clean_end() {
    for args in ["", "--format csv", "--format json", "list", "deltas monotonic", "deltas monotonic --raw"] {
        let program = env!("CARGO_BIN_EXE_clockscope");
        let script = format!("{program} --time 600ms {args} | head -1; echo ${{PIPESTATUS[0]}}");
        let (_, out, err) = done(Command::new("bash").args(["-c", &script]));
        assert_eq!(out.lines().last(), Some("0"), "{args}: {err}");
        assert!(out.lines().count() == 2 && !err.contains("panicked"), "{args}: {out}{err}");
    }
}

#[test]
fn a_full_disk_loses_nothing() {
    for format in ["table", "json", "csv"] {
        let (code, out, err) = run(&["--output", "/dev/full", "--clock", "monotonic", "--format", format]);
        assert_eq!(code, Some(3), "{format}: {err}");
        assert!(err.contains("can't write /dev/full: no space left on device"), "{format}: {err}");
        assert!(out.contains("monotonic"), "{format}: {out}");
    }
}

#[test]
fn a_file_gets_the_whole_result_in_the_format_of_its_name() {
    let path = std::env::temp_dir().join(format!("clockscope-test-{}.json", std::process::id()));
    let (code, out, err) = run(&["--clock", "monotonic", "--output", path.to_str().expect("UTF-8")]);
    let text = std::fs::read_to_string(&path);
    let _ = std::fs::remove_file(&path);
    assert_eq!((code, out.as_str(), err.as_str()), (Some(0), "", ""));
    let record: Record = serde_json::from_str(&text.expect("the file is there")).expect("a record");
    assert_eq!(record.clocks.len(), 1);
}

fn start(args: &[&str]) -> Child {
    clockscope().args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
}

#[test]
fn an_interrupted_survey_prints_what_there_is() {
    for (name, code) in [("-INT", 130), ("-TERM", 143)] {
        let child = start(&["--time", "60"]);
        std::thread::sleep(Duration::from_millis(500));
        signal(&child, name);
        let output = child.wait_with_output().expect("it ends");
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{err}");
        assert!(out.contains("Interrupted:"), "{out}");
        assert!(err.contains("interrupted by signal"), "{err}");
    }
}

#[test]
fn rows_of_a_killed_run_are_there() {
    let mut child = start(&["--format", "csv", "--clock", "monotonic,realtime"]);
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let header = lines.next().expect("a header at once").expect("UTF-8");
    assert!(header.starts_with("id,api,kind,path,"));
    let row = lines.next().expect("a row").expect("UTF-8");
    assert!(row.starts_with("realtime,"), "{row}");
    signal(&child, "-KILL");
    child.wait().expect("it ends");
}

#[test]
fn a_histogram() {
    let (code, out, err) = run(&["deltas", "monotonic"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.starts_with("monotonic: ") && out.contains("Ticks"), "{out}");
    let (code, out, _) = run(&["deltas", "monotonic", "--reads", "10000", "--format", "json"]);
    assert_eq!(code, Some(0));
    let histogram: Deltas = serde_json::from_str(&out).expect("a histogram");
    assert_eq!(histogram.schema, "clockscope-deltas/1");
    let counted: u64 = histogram.rows.iter().map(|row| row.count).sum();
    assert_eq!(counted + histogram.others, histogram.differences);
}

#[test]
fn raw_samples_are_label_and_value() {
    let (code, out, err) = run(&["deltas", "monotonic", "--raw", "--reads", "10000"]);
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
    let program = env!("CARGO_BIN_EXE_clockscope");
    let status = std::fs::read_to_string("/proc/self/status").expect("/proc");
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).expect("a list");
    let first = list.trim().split(['-', ',']).next().expect("a CPU");
    let (code, out, err) = done(Command::new("taskset").args(["-c", first, program]).args(SHORT));
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains(&format!("Measured on CPU {first} ")), "{out}");
    let other = if first == "0" { "1" } else { "0" };
    let taskset = ["-c", first, program, "--cpu", other];
    let (code, _, err) = done(Command::new("taskset").args(taskset).args(SHORT));
    assert_eq!(code, Some(2), "{err}");
}

/// As nobody, when the tests run as root; anyone else has no privileges anyway.
#[test]
fn without_privileges() {
    let whoami = done(Command::new("id").arg("-u")).1;
    let (code, out, err) = if whoami.trim() == "0" {
        // The build folder may lie where nobody may not look: run a copy.
        let copy = std::env::temp_dir().join(format!("clockscope-test-{}", std::process::id()));
        std::fs::copy(env!("CARGO_BIN_EXE_clockscope"), &copy).expect("a copy");
        let drop = ["--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--no-new-privs"];
        let result = done(Command::new("setpriv").args(drop).arg(&copy).args(SHORT).current_dir("/"));
        let _ = std::fs::remove_file(&copy);
        result
    } else {
        run(&[])
    };
    assert_eq!(code, Some(0), "{err}");
    assert_survey(&out);
}

/// In a namespace of its own where /proc and /sys are empty; where the system allows nobody such a namespace, there is
/// nothing to test.
#[test]
fn without_proc_and_sys() {
    let empty = "mount -t tmpfs none /proc && mount -t tmpfs none /sys";
    let unshare = || {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c"]);
        command
    };
    if !unshare().arg(empty).output().is_ok_and(|output| output.status.success()) {
        return;
    }
    let program = format!("{empty} && exec {} --time 600ms", env!("CARGO_BIN_EXE_clockscope"));
    let (code, out, err) = done(unshare().arg(program));
    assert_eq!(code, Some(0), "{err}");
    assert_survey(&out);
}

#[test]
fn a_reference_without_nanoseconds_of_its_own_is_refused() {
    for (reference, word) in [("tsc", "ticks"), ("time", "coarse"), ("monotonik", "did you mean monotonic")] {
        let (code, out, err) = run(&["--ref", reference, "--clock", "monotonic"]);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
        assert!(err.contains(word), "{err}");
    }
}

#[test]
fn the_shortest_run_has_a_cost_for_every_clock() {
    let (code, out, err) = done(clockscope().args(["--time", "50ms", "--format", "json"]));
    assert_eq!(code, Some(0), "{err}");
    let record: Record = serde_json::from_str(&out).expect("a record");
    let without: Vec<&str> =
        record.clocks.iter().filter(|clock| clock.cost_ns.is_none()).map(|clock| clock.id.as_str()).collect();
    assert!(without.is_empty(), "no cost: {without:?}");
}

#[test]
fn a_second_signal_ends_at_once() {
    // A reader that never reads, so that the program can't end by itself once its pipe is full.
    let mut child = start(&["deltas", "monotonic", "--raw", "--time", "60"]);
    std::thread::sleep(Duration::from_millis(400));
    signal(&child, "-INT");
    std::thread::sleep(Duration::from_millis(100));
    signal(&child, "-INT");
    let ended = (0..100).find_map(|_| {
        std::thread::sleep(Duration::from_millis(50));
        child.try_wait().expect("a status")
    });
    let _ = child.kill();
    assert_eq!(ended.expect("it ends at once").code(), Some(130));
    let mut rest = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut rest).expect("UTF-8");
    assert!(!rest.contains("panicked"), "{rest}");
}
