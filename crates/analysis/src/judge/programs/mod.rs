//! Which clocks well-known programs take on a machine, by their own rules, and whether its evidence speaks for them.
//!
//! * `table` has the programs: what each reads for what, by which rule, and where that was read.
//! * `postgres` is the one rule that looks at the machine: PostgreSQL's `timing_clock_source`.
//! * `weigh` holds what a program takes against the record.
//! * `words` makes the answer and the settings of it.

mod postgres;
mod table;
#[cfg(test)]
mod tests;
mod weigh;
mod words;

use super::facts::Facts;
use crate::record::{Program, ProgramAdvice, ProgramClock, Record};

/// What these programs take on the record's machine, in the order asked for.
///
/// Says nothing that the record does not: a clock that it lacks has no figures and no opinion. Never panics.
pub fn advise(record: &Record, programs: &[Program]) -> Vec<ProgramAdvice> {
    let clocks = &*super::faults::without_changes(&record.run, &record.clocks);
    let facts = Facts { machine: &record.machine, run: &record.run, clocks, skew: &record.skew };
    programs.iter().map(|program| of(*program, &facts, record)).collect()
}

fn of(program: Program, facts: &Facts, record: &Record) -> ProgramAdvice {
    let entry = table::of(program);
    let clocks: Vec<_> = entry.readings.iter().map(|reading| weigh::weigh(reading, facts, record)).collect();
    let is = |agrees| move |clock: &ProgramClock| clock.agrees == Some(agrees);
    let agrees = if clocks.iter().any(is(false)) { Some(false) } else { clocks.iter().all(is(true)).then_some(true) };
    let set = words::settings(program, &clocks, facts, &record.findings);
    ProgramAdvice {
        program,
        title: entry.title.into(),
        answer: words::answer(entry.title, &clocks, &set),
        agrees,
        set,
        clocks,
        notes: entry.notes.iter().map(|note| (*note).to_owned()).collect(),
    }
}

/// Ids of the clocks that the program may read, on any machine: what a survey has to measure for it.
pub fn clocks_of(program: Program) -> impl Iterator<Item = &'static str> {
    table::of(program).readings.iter().flat_map(|reading| reading.ids.iter().copied())
}
