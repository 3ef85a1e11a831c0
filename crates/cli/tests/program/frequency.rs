//! `clockscope frequency`.

use clockscope_analysis::record::{FrequencyOrigin, FrequencyReport, FrequencySource};

use crate::*;

fn report(json: &str) -> FrequencyReport {
    obeying("frequency.schema.json", json)
}

fn measured(report: &FrequencyReport) -> Vec<&FrequencySource> {
    report.sources.iter().filter(|source| source.origin == FrequencyOrigin::Measured).collect()
}

#[test]
fn every_source_has_its_provenance_and_what_is_measured_its_interval() {
    let report = report(&well(run(&["frequency", "--time", "500ms", "--format", "json"])));
    assert!(!report.sources.is_empty() || !report.unavailable.is_empty(), "{report:?}");
    for source in &report.sources {
        assert!(!source.provenance.is_empty(), "{source:?}");
        assert!(source.hz.low <= source.hz.value && source.hz.value <= source.hz.high, "{source:?}");
        assert_eq!(source.off_ppm.is_some(), report.measured_hz.is_some(), "{source:?}");
    }
    assert!(report.unavailable.iter().all(|source| !source.reason.is_empty()), "{report:?}");
    assert_eq!(report.trusted.is_some(), !report.sources.is_empty(), "{report:?}");
    if let Some(trusted) = &report.trusted {
        assert!(report.sources.iter().any(|source| source.source == trusted.source), "{trusted:?}");
        assert!(!trusted.because.is_empty(), "{trusted:?}");
    }
    assert_eq!(report.measured_hz.is_none(), report.missing.contains_key("measured_hz"), "{report:?}");
}

#[test]
fn every_format() {
    for (format, word) in [
        ("table", " Hz by "),
        ("csv", "source,origin,hz_value,hz_low,hz_high,off_ppm_value,"),
        ("markdown", "# Frequency of the counter"),
        ("jsonl", "clockscope-frequency/1"),
    ] {
        let out = well(run(&["frequency", "--time", "200ms", "--format", format]));
        assert!(out.contains(word), "{out}");
    }
}

#[test]
fn a_trace_of_it_says_the_same() {
    let folder = TempDir::new().unwrap();
    let command = |args: &[&str]| well(done(clockscope(args).current_dir(folder.path())));
    let live = command(&["frequency", "--time", "300ms", "--format", "json", "--trace", "x.trace"]);
    assert_eq!(command(&["analyze", "x.trace", "--format", "json"]), live);
}

#[test]
fn the_clocks_asked_for_and_the_reference_are_the_ones_measured_against() {
    let report = report(&well(run(&["frequency", "--time", "300ms", "--clock", "monotonic-raw", "--format", "json"])));
    let named = measured(&report).into_iter().map(|source| source.source.as_str()).collect::<Vec<_>>();
    assert!(named.iter().all(|name| ["monotonic-raw", report.reference.as_str()].contains(name)), "{named:?}");
}

#[test]
fn on_one_cpu_and_without_privileges() {
    let json = well(done(&mut on_one(&clockscope(&["frequency", "--time", "200ms", "--format", "json"]))));
    assert_eq!(report(&json).cpu.map_or_else(first_cpu, |cpu| cpu.to_string()), first_cpu());
    let folder = TempDir::new().unwrap();
    let json =
        well(done(&mut unprivileged(clockscope(&["frequency", "--time", "200ms", "--format", "json"]), &folder)));
    assert!(report(&json).schema == "clockscope-frequency/1");
}

#[test]
fn a_signal_ends_it_with_what_there_is() {
    let child = start(&mut clockscope(&["frequency", "--time", "60s", "--format", "json"]));
    pause(2000);
    kill("-INT", &child.id().to_string());
    let (code, out, err) = text(child.wait_with_output().unwrap());
    assert_eq!(code, Some(130), "{err}");
    assert!(report(&out).interrupted);
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (args, words) in [
        (&["--reads", "9"][..], &["--time"][..]),
        (&["--clock", "thread-cputime"], &["CPU time", "monotonic-raw"]),
        (&["--clock", "sundial"], &["no clock is called 'sundial'"]),
        (&["--time", "0"], &["more than zero"]),
    ] {
        refused(run(&[&["frequency"], args].concat()), 2, words);
    }
}
