//! Reports that never were.

use super::*;
use crate::record::{FrequencyOrigin::*, FrequencySource, Interval, KernelFrequency, Ntp, Tsc, TscGeneration};

fn around(value: f64, half: f64) -> Interval {
    Interval { value, low: value - half, high: value + half }
}

fn source(name: &str, origin: crate::record::FrequencyOrigin, hz: f64, half: f64) -> FrequencySource {
    FrequencySource::new(name, origin, "made up".into(), around(hz, half))
}

/// Measured by a clock of the kernel's, which runs on the counter.
fn clock(name: &str, hz: f64, steered: bool) -> FrequencySource {
    FrequencySource { of_the_counter: Some(true), steered, ..source(name, Measured, hz, 5.0) }
}

const HZ: f64 = 2_596_144_000.0;

/// A guest whose hypervisor states 1145 Hz more than the kernel keeps.
fn guest(synchronised: bool) -> FrequencyReport {
    let ntp = Ntp { synchronised, max_error_ns: 1e6, tick_us: Some(10_000), ..Ntp::default() };
    let mut report = FrequencyReport {
        counter: Some("tsc".into()),
        reference: "monotonic".into(),
        clocksource: Some("tsc".into()),
        over_s: 60.0,
        measured_hz: Some(around(HZ, 5.0)),
        kernel: Some(KernelFrequency { khz: Interval::exactly(HZ / 1e3), by: "made up".into() }),
        sources: vec![
            clock("monotonic", HZ, true),
            clock("monotonic-raw", HZ, false),
            source("cpuid-16h", Core, 2.6e9, 1e6),
            source("pvclock-page", Hypervisor, HZ + 1145.0, 0.6),
            source("hypervisor-leaf", Hypervisor, HZ + 1000.0, 1e3),
            source("kernel-khz", Kernel, HZ, 0.0),
        ],
        ntp: Some(ntp.clone()),
        ntp_end: Some(ntp),
        ..FrequencyReport::default()
    };
    for source in &mut report.sources {
        source.off_ppm = Some(around((source.hz.value / HZ - 1.0) * 1e6, 0.01));
    }
    report
}

fn judged(mut report: FrequencyReport) -> FrequencyReport {
    judge_frequency(&mut report, &Machine::default(), &Run::default(), &[]);
    report
}

#[track_caller]
fn trusts(report: FrequencyReport, name: &str, words: &[&str]) -> FrequencyReport {
    let report = judged(report);
    let trusted = report.trusted.as_ref().unwrap();
    assert_eq!(trusted.source, name, "{}", trusted.because);
    for word in words {
        assert!(trusted.because.contains(word), "'{word}': {}", trusted.because);
    }
    report
}

#[track_caller]
fn says(report: &FrequencyReport, parts: &[&str]) {
    let all = report.remarks.join("\n");
    for part in parts {
        assert!(all.contains(part), "'{part}': {all}");
    }
}

#[test]
fn a_synchronised_clock_is_the_truth_within_the_kernels_bound() {
    let report = trusts(guest(true), "monotonic", &["NTP keeps monotonic", "within 33.3 ppm"]);
    assert!((report.trusted.unwrap().bound_ppm.unwrap() - 33.333).abs() < 0.01);
    let short = FrequencyReport { over_s: 3.0, ..guest(true) };
    trusts(short, "monotonic", &["667 ppm", "narrows with --time"]);
    // Lost on the way.
    let mut lost = guest(true);
    lost.ntp_end.as_mut().unwrap().synchronised = false;
    trusts(lost, "pvclock-page", &[]);
}

#[test]
fn without_ntp_the_finest_statement_counts_and_the_kernels_is_called_cut() {
    let report = trusts(guest(false), "pvclock-page", &["the host's own figure", "no clock here is kept by NTP"]);
    says(&report, &["hypervisor-leaf to whole kHz, −0.0559 ppm", "kernel-khz to steps of 2 kHz, −0.441 ppm"]);
    let cut: Vec<_> = report.sources.iter().filter_map(|s| Some((s.source.as_str(), s.cut_to_hz?))).collect();
    assert_eq!(cut, [("hypervisor-leaf", 1e3), ("kernel-khz", 2e3)]);
}

/// Figures above the trusted one, or far below, were not cut from it.
#[test]
fn nothing_else_is_called_cut() {
    for hz in [HZ + 2000.0, HZ - 2000.0, HZ + 500.5] {
        let mut report = guest(false);
        report.sources[4].hz = around(hz, 1e3);
        report.sources[5].hz = around(HZ + 2000.0, 0.0);
        assert!(judged(report).sources.iter().all(|source| source.cut_to_hz.is_none()), "{hz}");
    }
    // An odd number of kHz, 1145 Hz short, was not cut to either; one that is stated in steps of 2 kHz was not cut to 1.
    let mut report = guest(false);
    report.sources[3].hz = around(HZ + 2145.0, 0.6);
    report.sources[5].hz = around(HZ + 1000.0, 1e3);
    report.sources[4] = FrequencySource { step_hz: Some(2e3), ..source("leaf", Hypervisor, HZ + 2000.0, 2e3) };
    let judged_odd = judged(report);
    assert_eq!([4, 5].map(|at| judged_odd.sources[at].cut_to_hz), [Some(2e3), None]);
    let mut report = guest(false);
    report.sources[4].hz = around(2_596_000_000.0, 1e6);
    assert_eq!(judged(report).sources[4].cut_to_hz, Some(1e6));
}

#[test]
fn the_order_of_trust() {
    let mut report = guest(false);
    report.sources.push(source("cpuid-15h", Cpu, HZ, 100.0));
    let mut report = trusts(report, "cpuid-15h", &["the CPU states its crystal"]);
    report.sources.retain(|source| !matches!(source.origin, Cpu | Hypervisor));
    report.sources.push(FrequencySource { of_the_counter: Some(false), ..source("hpet", Measured, HZ + 2e4, 30.0) });
    let mut report = trusts(report, "hpet", &["does not run on this counter"]);
    report.sources.retain(|source| source.source != "hpet");
    let mut report = trusts(report, "kernel-khz", &["how true it is nobody here knows"]);
    report.sources.retain(|source| source.origin == Measured);
    let mut report = trusts(report, "monotonic", &["nobody states a frequency"]);
    report.sources = vec![source("cpu-name", Core, 2.6e9, 1e7)];
    let mut report = trusts(report, "cpu-name", &["nothing could be measured"]);
    report.sources.clear();
    assert_eq!(judged(report).trusted, None);
}

#[test]
fn what_runs_in_a_circle_is_named_with_the_figure_that_it_gives_back() {
    let mut report = guest(false);
    let page = FrequencySource { by_page: true, ..clock("kvm-pvclock", HZ + 1145.0, false) };
    report.sources.push(page);
    let report = judged(report);
    says(
        &report,
        &["monotonic and monotonic-raw by the kernel's figure, 2,596,144 kHz; kvm-pvclock by", "nothing of the truth"],
    );
    let mut own = guest(false);
    own.sources.iter_mut().for_each(|source| source.of_the_counter = source.of_the_counter.map(|_| false));
    assert!(!judged(own).remarks.iter().any(|line| line.starts_with("Circular")));
}

#[test]
fn what_ntp_does_to_the_rate_and_a_slew_on_top_of_it() {
    // A clock that runs 10 ppm fast takes the counter for slower.
    let steer = |synchronised: bool, stated_ppm: f64| {
        let mut report = guest(synchronised);
        report.sources[0].hz = around(HZ * (1.0 - 10e-6), 5.0);
        report.ntp.as_mut().unwrap().frequency_ppm = stated_ppm;
        judged(report)
    };
    let steady = steer(true, 10.0);
    says(&steady, &["monotonic is made to run +10 ppm", "wrong by as much"]);
    assert!(!steady.remarks.join("").contains("slewed away"));
    says(&steer(true, -5.0), &["Its steady correction is −5 ppm: an offset is being slewed away"]);
    says(&steer(false, 10.0), &["does not hold its clock for synchronised"]);
    assert!(!judged(guest(true)).remarks.join("").contains("made to run"));
}

#[test]
fn logs_that_differ_nameplates_and_counters_without_one_frequency() {
    let mut report = guest(false);
    report.sources.push(source("kernel-log", Kernel, HZ + 2000.0, 1e3));
    let tsc = Tsc { generation: TscGeneration::Variant, ..Tsc::default() };
    let machine = Machine { tsc: Some(tsc), ..Machine::default() };
    judge_frequency(&mut report, &machine, &Run::default(), &[]);
    says(
        &report,
        &[
            "The kernel's log says 2,596,146 kHz",
            "as no crystal is: cpuid-16h, which is of the core",
            "no one frequency",
        ],
    );
}
