//! The counter's frequency through a whole trace: by a clock with a crystal of its own, and the kHz that the kernel's raw clock is
//! made of.

use std::borrow::Cow;

use clockscope_analysis::analyze::Analysis;
use clockscope_analysis::record::{Clocksource, FrequencyReport, Interval, Kind, Machine, Tool};
use clockscope_analysis::trace::{
    Bracketed, Description, End, Header, Observation, Purpose, Role, Row, Singles, Stamp, TRACE_SCHEMA, Task, Unit,
};
use clockscope_analysis::{Conclusion, conclude};

use super::case::{Answer, Case};
use super::noise::{Random, Wander};

/// The length of a run, ns, and its rounds.
const RUN_NS: f64 = 3e9;
const ROUNDS: usize = 600;
const BOUND: &str = "the brackets and the clock's resolution enter as bounds that all readings share";

pub(super) fn cases() -> Vec<Case> {
    let case = |injected: &str, run, with: [f64; 4], wider| Case {
        estimator: "frequency",
        injected: injected.into(),
        run,
        truth: 2.596e9,
        with,
        wider: Some(wider),
    };
    vec![
        case("by a device of 100 ns, 3 s", by_device, [100.0, 0.0, 0.0, 0.0], BOUND),
        case("by a device of 1 ns that wanders by 0.05 ppm, 3 s", by_device, [1.0, 0.05, 0.0, 0.0], BOUND),
        case("the kernel's kHz by its raw clock, 3 s", kernels, [1.0, 0.0, 0.0, 0.0], "a whole number is exact"),
    ]
}

fn header() -> Header {
    let clock = |id, kind, unit| Description::new(id, id, kind, unit);
    let counter = clock("tsc", Kind::Counter, Unit::Ticks);
    let kernels = ["monotonic", "monotonic-raw"].map(|id| clock(id, Kind::Monotonic, Unit::Ns(1.0)));
    let [monotonic, raw] = kernels;
    let clocksource = Clocksource { current: Some("tsc".into()), available: Vec::new() };
    Header {
        schema: TRACE_SCHEMA.into(),
        tool: Tool::default(),
        task: Task::Frequency,
        machine: Machine { clocksource, ..Machine::default() },
        clocks: vec![counter, monotonic, raw, clock("device", Kind::Device, Unit::Ns(1.0))],
        surveyed: vec![0, 1, 2, 3],
        unavailable: Vec::new(),
        witness: 0,
        kernel: Some(1),
        reference: 1,
        cpu: None,
        started: None,
        started_at: None,
        id: None,
        seed: 0,
        start: 1 << 40,
        kernel_start: Some(1 << 50),
    }
}

/// What is made of a run on a counter of so many Hz, with a raw clock of that rate, and a device of such a quantum, ns, that
/// wanders by so much, ppm. Also what the device advanced, ns, and the counter, ticks.
fn report(hz: f64, raw: f64, [quantum_ns, wander_ppm]: [f64; 2], seed: u64) -> Option<(FrequencyReport, [f64; 2])> {
    let mut random = Random::new(seed);
    let mut analysis = Analysis::new(header()).ok()?;
    let ticks = |ns: f64| (1u64 << 40).wrapping_add_signed((ns * hz / 1e9).floor() as i64);
    let shown = |ns: f64, quantum: f64| (1u64 << 50).wrapping_add_signed(((ns / quantum).floor() * quantum) as i64);
    let stamp = |ns: f64| Stamp { count: ticks(ns), cpu: None };
    for (clock, quantum) in [(1, 1.0), (2, 1.0), (3, quantum_ns)] {
        let mut at = -1e6 * clock as f64;
        let before = stamp(at);
        let mut read = || {
            at += random.between(40.0, 140.0);
            shown(at, quantum)
        };
        let values = (0..4096).map(|_| read()).collect();
        let after = stamp(at + 20.0);
        let row = Row { clock, role: Role::Dithered, before, after, timed: after.since(before), values, failed: 0 };
        analysis.take(&Observation::Row(Cow::Owned(row)));
        analysis.take(&Observation::Turn(clock));
    }
    let mut wander = Wander::new(wander_ppm * 1e-6, 1e8, &mut random);
    let (mut now, mut device) = (0.0, 0.0);
    for _ in 0..ROUNDS {
        let wait = random.between(0.5, 1.5) * RUN_NS / ROUNDS as f64;
        now += wait;
        device += wait * (1.0 + wander.after(wait, &mut random));
        for (clock, purpose) in [(1, Purpose::Timebase), (2, Purpose::Rate), (3, Purpose::Rate)] {
            let at = now + 100.0 * clock as f64;
            let (inside, width) = (random.between(8.0, 16.0), random.between(20.0, 30.0));
            let value = match clock {
                1 => shown(at + inside, 1.0),
                2 => shown((at + inside) * raw, 1.0),
                _ => shown(device + 300.0 + inside, quantum_ns),
            };
            let reads = vec![Bracketed { before: ticks(at), value, after: ticks(at + width) }];
            analysis.take(&Observation::Singles(Cow::Owned(Singles { clock, purpose, reads, ..Singles::default() })));
        }
    }
    analysis.take(&Observation::Settle);
    let ntp = Err("nobody asked".into());
    analysis.take(&Observation::End(Box::new(End { elapsed_ns: now, interrupted: false, ntp, steal_share: None })));
    match conclude(&analysis) {
        Some(Conclusion::Frequency(report)) => Some((report, [device, now * hz / 1e9])),
        _ => None,
    }
}

fn answers(truth: f64, found: Option<Interval>) -> Vec<Answer> {
    found.map(|Interval { value, low, high }| Answer { truth, value, low, high }).into_iter().collect()
}

fn by_device(case: &Case, seed: u64) -> Vec<Answer> {
    let hz = case.truth * (1.0 + 1e-4 * Random::new(seed ^ 0x5eed).normal());
    let Some((report, [device_ns, ticks])) = report(hz, 1.0, [case.with[0], case.with[1]], seed) else {
        return Vec::new();
    };
    let found = report.sources.iter().find(|source| source.source == "device").map(|source| source.hz);
    answers(ticks / device_ns * 1e9, found)
}

/// The multiplier that the kernel makes of so many kHz (`clocks_calc_mult_shift`), as a rate.
fn kernels(case: &Case, seed: u64) -> Vec<Answer> {
    let mut random = Random::new(seed ^ 0x5eed);
    let khz = random.between(1e6, 5e6).round();
    // The crystal is off by some 20 ppm, which shows nowhere.
    let hz = khz * 1e3 * (1.0 + 2e-5 * random.normal());
    // What the longest time to convert leaves of 32 bits.
    let most = 2f64.powi(31 - (khz * 600_000.0 / 2f64.powi(32)).log2().floor() as i32);
    let multiplier = (1..=32)
        .rev()
        .map(|shift| ((1e6 * 2f64.powi(shift) / khz).round(), shift))
        .find(|(multiplier, _)| *multiplier < most)
        .map_or(0.0, |(multiplier, shift)| multiplier / 2f64.powi(shift));
    // Nanoseconds of the raw clock a true one.
    let raw = multiplier * hz / 1e9;
    let Some((report, _)) = report(hz, raw, [case.with[0], 0.0], seed) else { return Vec::new() };
    answers(khz, report.kernel.map(|kernel| kernel.khz))
}
