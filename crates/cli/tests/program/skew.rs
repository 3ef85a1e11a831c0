//! `clockscope skew`.

use clockscope_analysis::record::{Record, Skew, SkewReport};

use crate::{clockscope, done, has_two, obeying, on_one, quiet, refused, run, well};

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
    let json = quiet(run(&["skew", "--time", "400ms", "--format", "json"]));
    let report: SkewReport = obeying("skew.schema.json", &json);
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
        let out = well(run(&[&["skew", "--format", format][..], &clocks].concat()));
        assert!(out.contains(word), "{out}");
    }
}

#[test]
fn one_cpu_exits_3_with_the_reason() {
    refused(done(&mut on_one(&clockscope(&["skew"]))), 3, &["two CPUs", "taskset"]);
}

#[test]
fn the_survey_compares_too_or_says_why_not() {
    let survey = ["--time", "600ms", "--format", "json"];
    let record = |ended| serde_json::from_str::<Record>(&well(ended)).expect("a record");
    let one = record(done(&mut on_one(&clockscope(&survey))));
    assert!(one.skew.is_empty());
    assert!(one.run.notes.iter().any(|note| note.contains("skew between CPUs not measured")), "{:?}", one.run.notes);
    if has_two() {
        let both = record(run(&survey));
        let base = |id: &str| both.clocks.iter().find(|clock| clock.id == id).map(|clock| clock.base.as_str());
        assert!(both.skew.iter().any(|skew| base(&skew.clock) == Some("monotonic")));
        both.skew.iter().for_each(assert_agreement);
        assert!(!trusts_counters() || both.findings.iter().all(|finding| finding.code != "CS016"));
    }
}
