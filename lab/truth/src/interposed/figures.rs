//! Lies without an end, and the figures that the record gives for them.

use std::path::Path;

use anyhow::{Context, Result};
use clockscope_analysis::record::Clock;
use clockscope_interpose::{Injection, Kind, survey};

use crate::report::{Part, rough, short};

/// What a record says of one lie.
struct Reported {
    value: f64,
    low: f64,
    high: f64,
}

/// One lie, and where the record tells of it.
struct Lie {
    script: &'static str,
    what: &'static str,
    unit: &'static str,
    truth: f64,
    find: fn(&Clock) -> Option<Reported>,
}

const LIES: [Lie; 6] = [
    Lie::quantum("monotonic quantize 69.841ns", 69.841),
    Lie::quantum("monotonic quantize 1000/3ns", 1000.0 / 3.0),
    Lie::quantum("monotonic quantize 279.365ns", 279.365),
    Lie::quantum("monotonic quantize 4ms", 4e6),
    Lie::rate("monotonic rate -37ppm", -37.0),
    Lie::rate("monotonic rate 500ppm", 500.0),
];

impl Lie {
    const fn quantum(script: &'static str, truth: f64) -> Self {
        Self { script, what: "resolution", unit: "ns", truth, find: quantum }
    }

    /// Against the kernel's own reading of the same clock, so that the lie is all the difference there is.
    const fn rate(script: &'static str, truth: f64) -> Self {
        Self { script, what: "rate", unit: "ppm", truth, find: rate }
    }
}

fn quantum(clock: &Clock) -> Option<Reported> {
    let tick = &clock.tick_ns;
    Some(Reported { value: tick.quantum?, low: tick.quantum_low?, high: tick.quantum_high? })
}

fn rate(clock: &Clock) -> Option<Reported> {
    let rate = clock.rate.as_ref()?;
    Some(Reported { value: rate.ppm, low: rate.low_ppm, high: rate.high_ppm })
}

/// Runs each lie `runs` times.
pub(crate) fn figures(clockscope: &Path, runs: u64) -> Result<Part> {
    let mut part = Part::new("Figures under a lie", &["injected", "largest error", "±, median", "held"]);
    let mut invented = 0;
    for lie in &LIES {
        let mut found = Vec::new();
        for seed in 1..=runs {
            let clock = run(clockscope, lie.script, seed)?;
            let faults = clock.regressions.count + clock.warps.count + clock.stalls.unexplained;
            invented += faults;
            if faults > 0 {
                part.wrong.push(format!("{}, run {seed}: {faults} faults that nobody injected", lie.script));
            }
            found.extend((lie.find)(&clock));
        }
        judge(&mut part, lie, &found, runs);
    }
    let failed = failures(&mut part, clockscope)?;
    part.notes.push(format!(
        "{runs} runs each (`--clock monotonic --time 300ms`); faults reported that nobody injected: {invented}. {failed}"
    ));
    Ok(part)
}

fn run(clockscope: &Path, script: &str, seed: u64) -> Result<Clock> {
    let injection = Injection::new(script, seed)?;
    let seed = seed.to_string();
    let record = survey(clockscope, &["--clock", "monotonic", "--time", "300ms", "--seed", &seed], Some(&injection))
        .with_context(|| format!("the run under '{script}'"))?;
    record.clocks.into_iter().find(|clock| clock.id == "monotonic").context("a record of the clock")
}

fn judge(part: &mut Part, lie: &Lie, found: &[Reported], runs: u64) {
    let holds = |r: &&Reported| r.low <= lie.truth && lie.truth <= r.high;
    let held = found.iter().filter(holds).count();
    let median = |of: fn(&Reported) -> f64| {
        let mut values: Vec<f64> = found.iter().map(of).collect();
        values.sort_unstable_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
    };
    let worst = found.iter().map(|r| (r.value - lie.truth).abs()).fold(0.0, f64::max);
    part.row(&[
        format!("{} of {} {}", lie.what, short(lie.truth), lie.unit),
        format!("{} {}", rough(worst), lie.unit),
        format!("{} {}", rough(median(|r| (r.high - r.low) / 2.0)), lie.unit),
        format!("{held} of {runs}"),
    ]);
    // 19 of 20 are wanted; of 20 runs that hold with that chance, 16 or fewer come in one of 40 tables.
    if (held as u64) * 100 < runs * 80 {
        part.wrong.push(format!("{}: {held} of {runs} intervals hold the truth", lie.script));
    }
}

/// Reads that fail.
fn failures(part: &mut Part, clockscope: &Path) -> Result<String> {
    let injection = Injection::new("monotonic fail EINVAL every=997 from=5000", 1)?;
    let record = survey(clockscope, &["--clock", "monotonic", "--time", "300ms"], Some(&injection))?;
    let injected = injection.log()?.count("monotonic", Kind::Fail);
    let failed = record.clocks.iter().find(|clock| clock.id == "monotonic").map_or(0, |clock| clock.failed_reads);
    if failed != injected {
        part.wrong.push(format!("{injected} reads failed, {failed} are in the record"));
    }
    Ok(format!("Of {injected} reads that failed with EINVAL {failed} are in the record."))
}
