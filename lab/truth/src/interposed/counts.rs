//! Seeded runs with some 25 faults each, counted one by one.

use std::path::Path;

use anyhow::{Context, Result};
use clockscope_interpose::{Comparison, Injection, Kind, Log, compare, survey};

use crate::report::Part;

/// A survey of one clock, short enough that two hundred of them are made in a minute. The reads make sure of all the
/// faults also where others use the CPU.
const SURVEY: [&str; 6] = ["--clock", "monotonic", "--time", "100ms", "--reads", "90000"];

/// What all runs gave together, a kind of fault each.
#[derive(Default)]
struct Totals {
    injected: u64,
    reported: u64,
    outside: u64,
    /// Of every size, by how much it was off, and its stated half width, ns.
    errors: Vec<f64>,
    widths: Vec<f64>,
}

/// Makes `runs` runs and compares them event by event.
pub(crate) fn counts(clockscope: &Path, runs: u64) -> Result<Part> {
    let mut part = Part::new(
        "Faults injected one by one",
        &["fault", "injected", "reported", "largest error, ns", "±, ns: median", "largest", "outside"],
    );
    let mut totals = [Totals::default(), Totals::default(), Totals::default()];
    let mut differing = 0;
    let mut undecided = 0;
    for seed in 1..=runs {
        let (comparison, log, found, decided) =
            run(clockscope, seed).with_context(|| format!("run {seed} under the interposer"))?;
        undecided += decided;
        for (total, (kind, found)) in totals.iter_mut().zip(KINDS.into_iter().zip(found)) {
            total.injected += log.count("monotonic", kind);
            total.reported += found;
            total.add(&comparison, kind);
        }
        if !comparison.wrong.is_empty() {
            differing += 1;
            part.wrong.push(format!("run {seed}: {}", comparison.wrong.join("; ")));
        }
        if seed % 20 == 0 {
            eprintln!("{seed} of {runs} runs under the interposer, {differing} differing");
        }
    }
    for (total, kind) in totals.iter().zip(KINDS) {
        part.row(&total.cells(kind));
    }
    part.notes.push(format!(
        "{runs} runs (`{}`), seeds 1 to {runs}. Faults lie 1100 to 2300 reads apart, so that no two share a row of \
         reads; regressions and jumps of 1 µs to 10 ms, stalls of 2 to 9 reads. {} of {runs} runs agree event by event: \
         counts, kinds, order, and each size within its ±. {undecided} reads were undecided.",
        SURVEY.join(" "),
        runs - differing
    ));
    Ok(part)
}

const KINDS: [Kind; 3] = [Kind::Regression, Kind::Warp, Kind::Stall];

fn run(clockscope: &Path, seed: u64) -> Result<(Comparison, Log, [u64; 3], u64)> {
    let few = seed % 5;
    let script = format!(
        "monotonic spread first=25000 spacing=1700 least=1100; monotonic regression 1us..10ms count={};
        monotonic warp 1us..10ms count={}; monotonic stall 2..9 count={}",
        6 + few,
        12 - few,
        5 + 2 * few
    );
    let injection = Injection::new(script, seed)?;
    let record = survey(clockscope, &SURVEY, Some(&injection))?;
    let clock = record.clocks.iter().find(|clock| clock.id == "monotonic").context("a record of the clock")?;
    let log = injection.log()?;
    let mut comparison = compare(clock, &log);
    let wanted = 23 + 2 * few;
    if log.entries.len() as u64 != wanted {
        let made = log.entries.len();
        comparison.wrong.push(format!("only {made} of {wanted} faults came in {} reads", clock.reads));
    }
    let found = [clock.regressions.count, clock.warps.count, clock.stalls.count];
    Ok((comparison, log, found, clock.undecided))
}

impl Totals {
    fn add(&mut self, comparison: &Comparison, kind: Kind) {
        for one in comparison.matches.iter().filter(|one| one.kind == kind) {
            self.errors.push((one.injected_ns - one.reported_ns).abs());
            self.widths.push(one.uncertainty_ns);
            self.outside += u64::from(!one.holds());
        }
    }

    fn cells(&self, kind: Kind) -> Vec<String> {
        let mut widths = self.widths.clone();
        widths.sort_unstable_by(f64::total_cmp);
        let largest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        let figures = match widths.get(widths.len() / 2) {
            None => ["–".to_owned(), "–".to_owned(), "–".to_owned()],
            Some(median) => [largest(&self.errors), *median, largest(&widths)].map(|ns| format!("{ns:.0}")),
        };
        // What people read calls a warp a jump.
        let name = if kind == Kind::Warp { "jump".to_owned() } else { format!("{kind:?}").to_lowercase() };
        let outside = if kind == Kind::Stall { "–".to_owned() } else { self.outside.to_string() };
        let [error, width, widest] = figures;
        vec![name, self.injected.to_string(), self.reported.to_string(), error, width, widest, outside]
    }
}
