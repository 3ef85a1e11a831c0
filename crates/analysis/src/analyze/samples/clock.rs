//! The samples of one label: taken as they come, in bounded memory.

use std::collections::BTreeMap;

use super::scale::{Number, Scale};
use super::spread::Spread;
use crate::analyze::MOST_READINGS;
use crate::analyze::account::{Told, at_most, entry, smallest_step};
use crate::analyze::faults::{Found, Reads, Terms, Watch};
use crate::analyze::quantum::{Counts, Quantum, quantum};
use crate::record::{Cost, Ends, EventKind, Interval, SampledClock, SampledStalls, StepBack};

/// Readings in a row of which nothing is known but their values.
///
/// Memory: 35 MB, however many come; some 20 MB more while the quantum is looked for, which rests on the first 2^20.
#[derive(Debug)]
pub struct SampledReadings {
    unit_ns: f64,
    unit_by: String,
    are_differences: bool,
    samples: u64,
    /// Of how many digits were rounded away.
    rounded: u64,
    scale: Option<Scale>,
    last: Option<i64>,
    /// What comes before the quantum is known: readings, in counts from the origin, with their places.
    waiting: Vec<(i64, u64)>,
    turned: Option<Turned>,
}

/// What is kept of readings.
#[derive(Debug)]
struct Turned {
    watch: Watch,
    quantum: Quantum,
    smallest: Option<u64>,
    /// Readings that the quantum rests on.
    readings: u64,
    values: Spread,
    differences: Spread,
}

impl SampledReadings {
    /// Of values that count units of so many ns; `unit_by` says whose statement that is. `are_differences`: each value is the
    /// difference of two readings.
    pub fn new(unit_ns: f64, unit_by: &str, are_differences: bool) -> Self {
        Self {
            unit_ns,
            unit_by: unit_by.into(),
            are_differences,
            samples: 0,
            rounded: 0,
            scale: None,
            last: None,
            waiting: Vec::new(),
            turned: None,
        }
    }

    /// One more; `place` is where it stands, for events.
    ///
    /// # Errors
    /// A sentence, for a value too far from the others to be counted in 64 bits with their decimals; it is not taken.
    pub fn take(&mut self, number: Number, place: u64) -> Result<(), String> {
        let far = || "is too far from the values before it: 64 bits don't hold the distance".to_owned();
        if self.scale.is_none() {
            self.scale = Some(Scale::from(number, !self.are_differences).ok_or_else(far)?);
        }
        if let (None, Some(scale)) = (&self.turned, &mut self.scale)
            && number.decimals > scale.decimals
        {
            scale.refine(number, &mut self.waiting);
            self.last = self.waiting.last().map(|(at, _)| *at);
        }
        let (at, is_exact) = self.reading(number).ok_or_else(far)?;
        if self.last.is_some_and(|last| at.checked_sub(last).is_none()) {
            return Err(far());
        }
        if self.are_differences && self.samples == 0 {
            self.add(0, place);
        }
        self.samples += 1;
        self.rounded += u64::from(!is_exact);
        self.add(at, place);
        Ok(())
    }

    /// The reading that a number tells of, and whether no digit was lost.
    fn reading(&self, number: Number) -> Option<(i64, bool)> {
        let Scale { origin, decimals, .. } = self.scale?;
        let (counts, is_exact) = number.counts(decimals)?;
        let from = if self.are_differences { -i128::from(self.last.unwrap_or(0)) } else { origin };
        Some((i64::try_from(counts.checked_sub(from)?).ok()?, is_exact))
    }

    fn add(&mut self, at: i64, place: u64) {
        let last = self.last.replace(at);
        if let Some(turned) = &mut self.turned {
            turned.take(last, at, place);
            return;
        }
        self.waiting.push((at, place));
        if self.waiting.len() >= MOST_READINGS {
            self.turn();
        }
    }

    /// The quantum is looked for in what has come; what comes from now on changes nothing of it.
    fn turn(&mut self) -> &mut Turned {
        let count_ns = self.count_ns();
        let waiting = std::mem::take(&mut self.waiting);
        self.turned.get_or_insert_with(|| Turned::new(&waiting, count_ns))
    }

    /// Nanoseconds a count.
    fn count_ns(&self) -> f64 {
        self.unit_ns / 10f64.powi(self.scale.map_or(0, |scale| scale.decimals as i32))
    }

    /// Prepares for a further look at the same values, all of them in their order; `false` where none would narrow the quartiles.
    pub fn again(&mut self) -> bool {
        self.last = None;
        let turned = self.turn();
        let values = turned.values.again();
        turned.differences.again() || values
    }

    /// One of the values once more, in a further look.
    pub fn look(&mut self, number: Number) {
        let Some((at, _)) = self.reading(number) else { return };
        let are_differences = self.are_differences;
        let last = self.last.replace(at).or(are_differences.then_some(0));
        let turned = self.turn();
        turned.values.look(at);
        if let Some(step) = last.and_then(|last| at.checked_sub(last)) {
            turned.differences.look(step);
        }
    }

    /// What the clock's quantum is at most, ns, as a timer; `None` where nothing is known of it.
    pub fn quantum_ns(&mut self) -> Option<f64> {
        let count_ns = self.count_ns();
        let turned = self.turn();
        at_most(Some(&turned.quantum), turned.smallest).map(|counts| counts * count_ns)
    }

    /// The record's entry.
    pub fn record(mut self, label: &str, claims: BTreeMap<String, String>, cost: Result<Cost, String>) -> SampledClock {
        let mut missing = BTreeMap::new();
        let (unit_ns, count_ns, samples) = (self.unit_ns, self.count_ns(), self.samples);
        let scale = self.scale.unwrap_or(Scale { origin: 0, decimals: 0, finest: 0 });
        let power = 10f64.powi(scale.decimals as i32);
        let are_differences = self.are_differences;
        let turned = self.turn();
        let in_file = |whole: i128, part: f64| (whole as f64 + part) / power;
        let (origin, of) =
            if are_differences { (0, &mut turned.differences) } else { (scale.origin, &mut turned.values) };
        let values = of.described(origin, in_file);
        let values_exact = of.ends().map(|ends| {
            let [min, max] = ends.map(|end| scale.written(origin + i128::from(end)));
            Ends { min, max }
        });
        let differences_ns = turned.differences.described(0, |whole, part| (whole as f64 + part) * count_ns);
        let longest = turned.differences.greatest().filter(|counts| *counts > 0);
        let found = turned.watch.so_far();
        let told = Told {
            count: Interval::exactly(count_ns),
            reported: Err("samples don't tell what the call claims"),
            quantum: Some(turned.quantum.clone()),
            smallest: found.smallest_step,
            readings: turned.readings,
        };
        let by = if scale.decimals > 0 { format!("{}; of the last decimal", self.unit_by) } else { self.unit_by };
        let tick_ns = entry(told, Ok((count_ns, by)), "not looked for", &mut missing);
        let mut lacking = |field: &str, why: &str| drop(missing.insert(field.into(), why.into()));
        let is_row = found.reads > 1;
        if !is_row {
            let why = if samples == 0 { "there is no sample" } else { "it takes two samples" };
            for field in ["monotonic", "stalls", "backward", "differences_ns"] {
                lacking(field, why);
            }
        }
        if longest.is_none() {
            lacking(
                "longest_gap_ns",
                if is_row { "no reading is greater than the one before" } else { "it takes two samples" },
            );
        }
        if samples == 0 {
            lacking("values", "there is no sample");
        }
        if self.rounded > 0 {
            let decimals = scale.decimals;
            lacking(
                "values.decimals",
                &format!("{} of {samples} values were rounded to {decimals} decimals", self.rounded),
            );
        }
        let cost_ns = cost.map_err(|why| lacking("cost_ns", &why)).ok();
        SampledClock {
            label: label.into(),
            unit_ns,
            claims,
            samples,
            tick_ns,
            monotonic: is_row.then_some(found.monotonic),
            stalls: is_row.then_some(SampledStalls {
                count: found.stalls.count,
                longest_reads: found.stalls.longest_reads,
                of_200_reads: found.stalls.of_200_reads,
            }),
            backward: is_row.then_some(found.regressions),
            steps_back: steps_back(&found),
            longest_gap_ns: longest.map(|counts| counts as f64 * count_ns),
            cost_ns,
            values,
            values_exact,
            differences_ns,
            missing,
        }
    }
}

/// The steps back; the watch's stamps are places.
fn steps_back(found: &Found) -> Vec<StepBack> {
    let events = found.events.iter().filter(|event| event.kind == EventKind::Regression);
    events.map(|event| StepBack { at: event.at_ns as u64, size_ns: event.size_ns }).collect()
}

impl Turned {
    fn new(waiting: &[(i64, u64)], count_ns: f64) -> Self {
        let readings: Vec<u64> = waiting.iter().map(|(at, _)| *at as u64).collect();
        let mut watch = Watch::new(0);
        watch.set_terms(Terms { count_ns, ..Terms::UNKNOWN });
        let mut turned = Self {
            watch,
            quantum: quantum(&readings, Counts::Units),
            smallest: smallest_step(&readings),
            readings: readings.len() as u64,
            values: Spread::default(),
            differences: Spread::default(),
        };
        let mut last = None;
        for (at, place) in waiting {
            turned.take(last.replace(*at), *at, *place);
        }
        turned
    }

    fn take(&mut self, last: Option<i64>, at: i64, place: u64) {
        self.values.take(at);
        if let Some(step) = last.and_then(|last| at.checked_sub(last)) {
            self.differences.take(step);
        }
        // Nothing is known of when a reading was made: the watch's stamps tell its place.
        self.watch.row(&Reads { before: place, values: &[at as u64], after: place, cpu: None, trusted: false });
    }
}
