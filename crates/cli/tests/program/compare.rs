//! Records held against each other, as files.

use std::fs;

use clockscope_analysis::record::{CompareReport, Figure, Outcome, Record};

use super::*;

const RECORD: &str = include_str!("../fixtures/record.json");

/// The record with its cost of `monotonic` so many times what it was.
fn dearer(times: f64) -> String {
    let mut record: Record = serde_json::from_str(RECORD).unwrap();
    let clock = record.clocks.iter_mut().find(|clock| clock.id == "monotonic").unwrap();
    let cost = clock.cost_ns.as_mut().unwrap();
    for it in [&mut cost.median, &mut cost.low, &mut cost.high] {
        *it *= times;
    }
    // Another run, as its own number says.
    record.run.id = Some(format!("run {times}"));
    serde_json::to_string(&record).unwrap()
}

fn put(folder: &TempDir, name: &str, content: &str) -> String {
    let file = folder.path().join(name);
    fs::write(&file, content).unwrap();
    file.to_str().unwrap().to_owned()
}

fn compared(args: &[&str]) -> CompareReport {
    obeying("compare.schema.json", &quiet(run(&[&["compare", "--format", "json"], args].concat())))
}

#[test]
fn the_same_record_twice_has_not_changed() {
    let folder = TempDir::new().unwrap();
    let (a, b) = (put(&folder, "a.json", RECORD), put(&folder, "b.json", RECORD));
    let report = compared(&[&a, &b, "--fail-on", "changed,worse,finding"]);
    assert!(report.rows().count() > 20 && report.rows().all(|row| row.result != Outcome::Changed));
    let text = quiet(run(&["compare", &a, &b]));
    assert!(text.contains("0 of") && text.contains("beyond both runs' own uncertainty"), "{text}");
    assert_eq!(compared(&[&a, &b, &a]).comparisons.len(), 2);
    for format in ["csv", "markdown", "jsonl"] {
        assert!(quiet(run(&["compare", &a, &b, "--format", format])).lines().count() > 0);
    }
}

#[test]
fn a_cost_that_rose_is_worse_and_may_fail() {
    let folder = TempDir::new().unwrap();
    let (a, b) = (put(&folder, "a.json", RECORD), put(&folder, "b.json", &dearer(1.1)));
    let report = compared(&[&a, &b]);
    let worse: Vec<_> = report.rows().filter(|row| row.worse == Some(true)).collect();
    assert_eq!(
        worse.iter().map(|row| (row.clock.as_str(), row.figure)).collect::<Vec<_>>(),
        [("monotonic", Figure::Cost)]
    );
    let (code, out, err) = run(&["compare", &a, &b, "--fail-on", "worse"]);
    assert_eq!(code, Some(1), "{err}");
    assert!(out.contains("Worse: monotonic cost ×1.1") && err.contains("worse: monotonic cost"), "{out} {err}");
    well(run(&["compare", &b, &a, "--fail-on", "worse"]));
    assert_eq!(run(&["compare", &b, &a, "--fail-on", "changed"]).0, Some(1));
    well(run(&["compare", &a, &b, "--fail-on", "changed", "--least", "20%"]));
    well(run(&["compare", &a, &b, "--fail-on", "changed", "--clock", "rdtsc"]));
    refused(run(&["compare", &a, &b, "--clock", "nothing"]), 2, &["no clock 'nothing'"]);
}

#[test]
fn several_a_side_are_told_how_many_it_takes() {
    let folder = TempDir::new().unwrap();
    let files: Vec<String> = (0..10)
        .map(|i| {
            put(&folder, &format!("{i}.json"), &dearer(1.0 + 0.001 * f64::from(i) + if i > 4 { 0.1 } else { 0.0 }))
        })
        .collect();
    let mut args: Vec<&str> = files[..5].iter().map(String::as_str).collect();
    args.push("--with");
    args.extend(files[5..].iter().map(String::as_str));
    let all = compared(&args);
    assert!(all.comparisons[0].notes[0].contains("5 runs before and 5 after"), "{:?}", all.comparisons[0].notes);
    args.splice(0..0, ["--clock", "monotonic"]);
    let one = compared(&args);
    let cost = one.rows().find(|row| row.figure == Figure::Cost).unwrap();
    assert_eq!((cost.result, cost.worse), (Outcome::Changed, Some(true)), "{cost:?}");
}

#[test]
fn different_machines_are_said_to_be_and_traces_are_read() {
    let trace = |name: &str| format!("{}/tests/traces/{name}.trace", env!("CARGO_MANIFEST_DIR"));
    let (amd, intel) = (trace("amd-milan"), trace("intel-spr"));
    let (code, out, err) = run(&["compare", &amd, &intel]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("Different machines") && !out.to_lowercase().contains("regress"), "{out}");
    let (code, _, err) = run(&["compare", &amd, &intel, "--fail-on", "worse"]);
    assert!(code == Some(2) && err.contains("different machines"), "{err}");
}

#[test]
fn bad_input_is_wrong_usage_with_its_cause() {
    let folder = TempDir::new().unwrap();
    let good = put(&folder, "good.json", RECORD);
    for (name, content, words) in [
        ("later", RECORD.replacen("clockscope/1", "clockscope/9", 1), "schema clockscope/9"),
        ("cut", RECORD[..RECORD.len() / 2].to_owned(), "ends before its record does"),
        ("other", "{\"schema\": 3}".to_owned(), "JSON of another program"),
        ("nan", RECORD.replacen("9.508", "NaN", 1), "has NaN at line"),
        ("empty", String::new(), "is empty"),
        ("text", "tsc 20\n".to_owned(), "neither a record"),
    ] {
        let bad = put(&folder, name, &content);
        refused(run(&["compare", &good, &bad]), 2, &[&bad, words]);
        refused(run(&["compare", &bad, &good]), 2, &[&bad, words]);
    }
    let none = TempDir::new().unwrap();
    refused(run(&["compare", &good, none.path().to_str().unwrap()]), 2, &["directory without"]);
    refused(run(&["compare", &good, "/no/such/file"]), 2, &["can't read"]);
    refused(run(&["compare", &good]), 2, &["name a second"]);
    refused(run(&["compare", "-", "-"]), 2, &["once"]);
    refused(run(&["compare", &good, &good, "--time", "1s"]), 2, &["leave out --time"]);
    refused(run(&["compare", &good, &good, "--least", "2"]), 2, &["2% or 0.02"]);
    let host = RECORD.replacen("\"hostname\": null", "\"hostname\": \"</script>\\u001b[2J|\"", 1);
    let host = put(&folder, "host.json", &host);
    let out = quiet(run(&["compare", &good, &host, "--format", "markdown"]));
    assert!(out.contains("&lt;/script>") && !out.contains('\u{1b}'), "{out}");
    assert!(!quiet(run(&["compare", &good, &host])).contains('\u{1b}'));
}
