//! Made-up machines whose counter's frequency is known.

use std::borrow::Cow;

use super::*;
use crate::analyze::Analysis;
use crate::conclude::{Conclusion, conclude};
use crate::record::{
    Clocksource, Cpu, Frequency, FrequencyOrigin, FrequencyReport, Machine, Ntp, Path, Promises, Tool, Tsc,
};
use crate::trace::{
    Bracketed, Description, End, Header, Kind, Observation, Purpose, Role, Row, Singles, Stamp, TRACE_SCHEMA, Task,
    Unit,
};

/// The true frequency, Hz, and how fast the clocks run by true time, relative.
#[derive(Clone, Copy)]
struct Truth {
    hz: f64,
    monotonic: f64,
    raw: f64,
    device: f64,
}

const SECONDS: f64 = 3.0;

fn machine(clocksource: &str, tsc: Tsc) -> Machine {
    let clocksource = Clocksource { current: Some(clocksource.into()), available: Vec::new() };
    Machine { os: "linux".into(), arch: "x86_64".into(), clocksource, tsc: Some(tsc), ..Machine::default() }
}

/// A counter, the kernel's two clocks, and a device of 100 ns.
fn header(machine: Machine) -> Header {
    let slewed = Promises { slewed: true, ..Promises::default() };
    let clock = |id, kind, unit| Description::new(id, id, kind, unit);
    let counter = Description { path: Path::Instruction, ..clock("tsc", Kind::Counter, Unit::Ticks) };
    let monotonic = Description { promises: slewed, ..clock("monotonic", Kind::Monotonic, Unit::Ns(1.0)) };
    let raw = clock("monotonic-raw", Kind::Monotonic, Unit::Ns(1.0));
    let device = clock("hpet", Kind::Device, Unit::Ns(100.0));
    Header {
        schema: TRACE_SCHEMA.into(),
        tool: Tool::default(),
        task: Task::Frequency,
        machine,
        clocks: vec![counter, monotonic, raw, device],
        surveyed: vec![0, 1, 2, 3],
        unavailable: Vec::new(),
        witness: 0,
        kernel: Some(1),
        reference: 1,
        cpu: Some(0),
        started: None,
        started_at: None,
        id: None,
        seed: 1,
        start: 1 << 40,
        kernel_start: Some(1 << 50),
    }
}

/// A run on that machine, its reads in brackets of 20 to 30 ns.
fn run(machine: Machine, truth: Truth, seed: u64, ntp: Result<Ntp, String>) -> FrequencyReport {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut analysis = Analysis::new(header(machine)).expect("the header is right");
    let ticks = |ns: f64| (1u64 << 40).wrapping_add_signed((ns * truth.hz / 1e9).floor() as i64);
    for (clock, rate, count_ns) in [(1_usize, truth.monotonic, 1.0), (2, truth.raw, 1.0), (3, truth.device, 100.0)] {
        let mut at = -1e6 * clock as f64;
        let before = ticks(at);
        let read = |at: f64| (1u64 << 50).wrapping_add_signed((at * rate / count_ns).floor() as i64);
        let values: Vec<u64> = (0..4096)
            .map(|_| {
                at += 40.0 + 100.0 * random.f64();
                read(at)
            })
            .collect();
        let stamp = |count| Stamp { count, cpu: None };
        let (before, after, role) = (stamp(before), stamp(ticks(at + 20.0)), Role::Dithered);
        let row = Row { clock, role, before, after, timed: after.since(before), values, failed: 0 };
        analysis.take(&Observation::Row(Cow::Owned(row)));
        analysis.take(&Observation::Turn(clock));
    }
    for round in 0..600 {
        let now_ns = f64::from(round) * SECONDS * 1e9 / 600.0 + random.f64() * 1e6;
        for (clock, purpose, rate, count_ns) in [
            (1, Purpose::Timebase, truth.monotonic, 1.0),
            (2, Purpose::Rate, truth.raw, 1.0),
            (3, Purpose::Rate, truth.device, 100.0),
        ] {
            let at = now_ns + f64::from(clock) * 100.0;
            let (inside, width) = (8.0 + 8.0 * random.f64(), 20.0 + 10.0 * random.f64());
            let value = (1u64 << 50) + ((at + inside) * rate / count_ns) as u64;
            let reads = vec![Bracketed { before: ticks(at), value, after: ticks(at + width) }];
            let lot = Singles { clock: clock as usize, purpose, reads, ..Singles::default() };
            analysis.take(&Observation::Singles(Cow::Owned(lot)));
        }
    }
    analysis.take(&Observation::Settle);
    let end = End { elapsed_ns: SECONDS * 1e9, interrupted: false, ntp, steal_share: None };
    analysis.take(&Observation::End(Box::new(end)));
    match conclude(&analysis) {
        Some(Conclusion::Frequency(report)) => report,
        other => panic!("{other:?}"),
    }
}

fn silent() -> Result<Ntp, String> {
    Err("nobody asked".into())
}

/// A kernel that takes the counter for one of so many kHz, which is off by so much, steered by so much.
fn kernels(khz: u64, off_ppm: f64, steered_ppm: f64, device_ppm: f64) -> Truth {
    let raw_hz = khz::raw_hz(khz).unwrap();
    let hz = raw_hz * (1.0 + off_ppm * 1e-6);
    let raw = hz / raw_hz;
    Truth { hz, raw, monotonic: raw * (1.0 + steered_ppm * 1e-6), device: 1.0 + device_ppm * 1e-6 }
}

fn source<'a>(report: &'a FrequencyReport, name: &str) -> &'a crate::record::FrequencySource {
    report.sources.iter().find(|source| source.source == name).unwrap_or_else(|| panic!("{name}: {report:#?}"))
}

#[test]
fn what_is_measured_is_the_truth_by_that_clock_within_its_interval() {
    let (mut held, mut all) = (0, 0);
    for seed in 0..40 {
        let truth = kernels(2_445_424 + seed, 12.0, -7.0, 31.0);
        let report = run(machine("tsc", Tsc::default()), truth, seed, silent());
        for (name, rate) in [("monotonic", truth.monotonic), ("monotonic-raw", truth.raw), ("hpet", truth.device)] {
            let hz = source(&report, name).hz;
            let by_it = truth.hz / rate;
            all += 1;
            held += u32::from((hz.low..=hz.high).contains(&by_it));
            assert!((hz.value / by_it - 1.0).abs() < 0.05e-6, "{name}: {hz:?} for {by_it}");
        }
        assert_eq!(report.measured_hz, Some(source(&report, "monotonic").hz));
        let off = source(&report, "monotonic-raw").off_ppm.unwrap();
        assert!((off.value + 7.0).abs() < 0.05 && off.low < off.value && off.value < off.high, "{off:?}");
    }
    assert!(held * 100 >= 93 * all, "{held} of {all}");
}

/// The raw clock is the kernel's figure and nothing else, whatever the truth.
#[test]
fn the_kernels_khz_come_out_of_its_raw_clock() {
    for (seed, khz) in [1_000_000, 1_800_001, 2_445_424, 2_596_145, 3_392_997, 4_700_123].into_iter().enumerate() {
        let report = run(machine("tsc", Tsc::default()), kernels(khz, -40.0, 20.0, 0.0), seed as u64, silent());
        let kernel = report.kernel.as_ref().unwrap();
        assert_eq!(kernel.khz, Interval::exactly(khz as f64), "{khz}");
        assert!(kernel.by.starts_with("derived"), "{}", kernel.by);
        assert_eq!(source(&report, "kernel-khz").hz.value, khz as f64 * 1e3);
    }
    // Under another clocksource the raw clock is of that one.
    let report = run(machine("hpet", Tsc::default()), kernels(2_445_424, 0.0, 0.0, 0.0), 1, silent());
    assert_eq!(report.kernel, None);
    assert_eq!(source(&report, "monotonic-raw").of_the_counter, Some(false));
}

#[test]
fn a_page_tells_the_khz_before_they_are_derived() {
    let truth = kernels(2_596_145, 0.0, 0.0, 0.0);
    let khz_by = |frequency: Frequency| {
        let tsc = Tsc { kernel_frequencies_hz: vec![frequency], ..Tsc::default() };
        run(machine("tsc", tsc), truth, 7, silent()).kernel.unwrap()
    };
    let perf = khz_by(Frequency::read("perf-page", 2_596_145_000.7, "perf's page".into(), 1.2));
    assert_eq!((perf.khz, perf.by.as_str()), (Interval::exactly(2_596_145.0), "whole kHz of perf's page"));
    let raw_hz = khz::raw_hz(2_596_145).unwrap();
    let vdso = khz_by(Frequency::read("vdso-page", raw_hz, "vDSO data".into(), 300.0));
    assert_eq!(vdso.khz, Interval::exactly(2_596_145.0));
    assert!(vdso.by.contains("vDSO data"), "{}", vdso.by);
    // A page that is of no whole kHz is left to what was measured.
    let none = khz_by(Frequency::read("perf-page", 2_596_145_400.0, "perf's page".into(), 1.2));
    assert!(none.by.starts_with("derived"), "{}", none.by);
}

#[test]
fn stated_ones_stand_beside_ours_with_what_their_rounding_permits() {
    let truth = kernels(2_500_000, 0.0, 0.0, 0.0);
    let stated = |ppm: f64, source: &str, step| {
        Frequency::read(source, truth.hz * (1.0 + ppm * 1e-6), format!("{source} itself"), step)
    };
    let tsc = Tsc {
        frequencies_hz: vec![stated(25.0, "cpuid-15h", 100.0), stated(-0.4, "pvclock-whole-khz", 2000.0)],
        kernel_frequencies_hz: vec![stated(-300.0, "cpuinfo", 1000.0)],
        frequencies_missing: [("perf-page".to_owned(), "no".to_owned())].into(),
        ..Tsc::default()
    };
    let mut machine = machine("tsc", tsc);
    machine.cpu = Cpu { model: Some("Some CPU @ 2.50GHz".into()), ..Cpu::default() };
    let report = run(machine, truth, 3, silent());
    for (name, ppm, origin) in [
        ("cpuid-15h", 25.0, FrequencyOrigin::Cpu),
        ("pvclock-whole-khz", -0.4, FrequencyOrigin::Kernel),
        ("cpuinfo", -300.0, FrequencyOrigin::Core),
    ] {
        let source = source(&report, name);
        let off = source.off_ppm.unwrap();
        assert!((off.value - ppm).abs() < 0.05 && off.high - off.low < 0.1, "{name}: {off:?}");
        assert_eq!((source.origin, source.provenance.clone()), (origin, format!("{name} itself")));
    }
    let whole = source(&report, "pvclock-whole-khz").hz;
    assert_eq!((whole.low, whole.high - whole.value), (whole.value, 2000.0));
    let name = source(&report, "cpu-name");
    assert_eq!((name.hz.value, name.step_hz), (2.5e9, Some(1e7)));
    assert_eq!(report.unavailable[0].id, "perf-page");
}

#[test]
fn names_of_cpus() {
    let hz =
        |model: &str| stated::by_name(&Cpu { model: Some(model.into()), ..Cpu::default() }).map(|f| (f.hz, f.step_hz));
    let near = |model: &str, hz_: f64, step: f64| {
        let (found, found_step) = hz(model).unwrap();
        assert!((found - hz_).abs() < 1.0 && (found_step.unwrap() - step).abs() < 1.0, "{model}: {found}");
    };
    near("Intel(R) Xeon(R) CPU E5-2670 0 @ 2.60GHz", 2.6e9, 1e7);
    near("Old @ 800 MHz", 8e8, 1e6);
    for none in ["AMD EPYC 7763", "X @ GHz", "X @ -1GHz", "X @ infGHz", "@", ""] {
        assert_eq!(hz(none), None, "{none}");
    }
}

#[test]
fn a_run_that_saw_nothing_claims_nothing() {
    let analysis = Analysis::new(header(machine("tsc", Tsc::default()))).unwrap();
    let Some(Conclusion::Frequency(report)) = conclude(&analysis) else { panic!("it is of a frequency") };
    assert_eq!((report.measured_hz, &report.trusted, &report.kernel), (None, &None, &None));
    assert!(report.interrupted && report.missing.contains_key("measured_hz"), "{report:#?}");
    assert!(report.sources.is_empty() && report.unavailable.len() == 2, "{report:#?}");
}

#[test]
fn no_counter_is_a_reason_and_what_is_stated_stays() {
    let tsc =
        Tsc { frequencies_hz: vec![Frequency::read("cpuid-15h", 2.4e9, "CPUID 15H".into(), 100.0)], ..Tsc::default() };
    let mut header = header(machine("tsc", tsc));
    header.clocks.remove(0);
    (header.surveyed, header.witness, header.kernel, header.reference) = (vec![0, 1], 0, Some(0), 0);
    header.unavailable = vec![crate::record::Unavailable { id: "tsc".into(), reason: "prctl forbids it".into() }];
    let Some(Conclusion::Frequency(report)) = conclude(&Analysis::new(header).unwrap()) else { panic!() };
    assert_eq!(report.missing["measured_hz"], "prctl forbids it");
    assert_eq!(report.trusted.unwrap().source, "cpuid-15h");
}
