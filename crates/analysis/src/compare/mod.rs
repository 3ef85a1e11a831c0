//! What changed between records: machines, findings and figures, each beyond its uncertainty (docs/method/compare.md).
//!
//! * `chance` — the distributions, and Holm's correction
//! * `own` — two runs by their own intervals: MOVER, and the conditional binomial of faults
//! * `runs` — several runs a side: Mann and Whitney, Hodges and Lehmann
//! * `figures` — what a record says of a figure
//! * `rows` — the table
//! * `facts` — machines, runs and findings

mod chance;
mod facts;
mod figures;
mod own;
mod rows;
mod runs;
#[cfg(test)]
mod tests;

use crate::judge::without_changes;
use crate::record::{COMPARE_SCHEMA, Clock, CompareReport, ComparedBy, Comparison, Record, Side, Tool};
use crate::text::count;

/// How often, at most, a table has any 'changed' though nothing changed.
const ERROR_SHARE: f64 = 0.05;
/// The least difference of rates that counts, ppm: a crystal changes by about as much as its machine grows warm.
const LEAST_PPM: f64 = 1.0;
/// The least effect where none is asked for.
pub const LEAST: f64 = 0.02;

/// A record, and the name of the file that it was read from.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// The file.
    pub file: &'a str,
    /// The record.
    pub record: &'a Record,
}

/// What is to be compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The least effect that counts, as a share.
    pub least: f64,
    /// Clocks, by id; empty: all.
    pub clocks: Vec<String>,
    /// Whether forced ways of reading are compared too where no clocks are named.
    pub forced: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { least: LEAST, clocks: Vec::new(), forced: false }
    }
}

/// The least effect, as a share and as a logarithm.
#[derive(Debug, Clone, Copy)]
struct Least {
    log: f64,
}

impl Least {
    fn of(share: f64) -> Self {
        Self { log: if share.is_finite() { libm::log1p(share.max(0.0)) } else { 0.0 } }
    }
}

/// A difference on a scale where differences count, its 95 % interval, and what a test says of it, if one was made.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Effect {
    value: f64,
    low: f64,
    high: f64,
    p: Option<f64>,
}

/// Each group of records held against the first; `tool` compares.
pub fn compare(tool: Tool, groups: &[Vec<Given<'_>>], options: &Options) -> CompareReport {
    let (first, rest) = groups.split_first().map_or((&[][..], &[][..]), |(first, rest)| (&first[..], rest));
    CompareReport {
        schema: COMPARE_SCHEMA.into(),
        tool,
        least: options.least,
        least_ppm: LEAST_PPM,
        error_share: ERROR_SHARE,
        comparisons: rest.iter().map(|after| two(first, after, options)).collect(),
    }
}

/// Each run once, however many files tell of it: a record and the trace that it was made of are one run.
fn once<'a>(given: &[Given<'a>], notes: &mut Vec<String>) -> Vec<Given<'a>> {
    let mut kept: Vec<Given<'a>> = Vec::new();
    for one in given {
        match kept.iter().find(|other| is_same_run(one, other)) {
            Some(other) => notes.push(format!("{} is the same run as {}, which counts once", one.file, other.file)),
            None => kept.push(*one),
        }
    }
    kept
}

fn is_same_run(one: &Given<'_>, other: &Given<'_>) -> bool {
    one.record.run.id.is_some() && one.record.run.id == other.record.run.id
}

/// One group held against another.
fn two(before: &[Given<'_>], after: &[Given<'_>], options: &Options) -> Comparison {
    let mut told = Vec::new();
    let (before, after) = (&once(before, &mut told)[..], &once(after, &mut told)[..]);
    let shared = before.iter().filter(|one| after.iter().any(|other| is_same_run(one, other)));
    told.extend(shared.map(|one| format!("{}: the same run is on both sides", one.file)));
    let by = if before.len() == 1 && after.len() == 1 { ComparedBy::OwnIntervals } else { ComparedBy::Runs };
    let [first, second] = [before, after].map(|side| side.iter().map(|given| given.record).collect::<Vec<_>>());
    let different_machines = facts::are_different(&first, &second);
    // Faults of the kernel's clocks while it changed its clocksource are not theirs, here as in the findings.
    let judged = [&first, &second]
        .map(|side| -> Vec<_> { side.iter().map(|record| without_changes(&record.run, &record.clocks)).collect() });
    let [clocks1, clocks2] =
        [&judged[0], &judged[1]].map(|side| side.iter().map(|it| &**it).collect::<Vec<&[Clock]>>());
    let clocks = rows::clocks(&clocks1, &clocks2, options);
    let mut comparison = Comparison {
        before: side(before),
        after: side(after),
        by,
        different_machines,
        machine: facts::differences(&first, &second, &clocks.both),
        came: facts::only_in(&second, &first),
        went: facts::only_in(&first, &second),
        rows: rows::rows(&clocks.both, by, Least::of(options.least), different_machines),
        faultless: rows::faultless(&clocks.both),
        only_before: clocks.only_before,
        only_after: clocks.only_after,
        notes: Vec::new(),
    };
    comparison.notes = notes(&comparison, &first, &second);
    comparison.notes.extend(told);
    comparison
}

fn side(given: &[Given<'_>]) -> Side {
    Side {
        files: given.iter().map(|given| given.file.to_owned()).collect(),
        started: given.iter().filter_map(|given| given.record.run.started.clone()).collect(),
    }
}

/// What a reader needs to weigh the table.
fn notes(of: &Comparison, first: &[&Record], second: &[&Record]) -> Vec<String> {
    let mut notes = Vec::new();
    match of.by {
        ComparedBy::OwnIntervals => notes.push(
            "one run a side: 'changed' is beyond both runs' own uncertainty, which does not show how runs differ; for that \
             take several a side, in turns (A B A B …), and compare A1 A2 … --with B1 B2 …"
                .into(),
        ),
        ComparedBy::Runs => {
            let tests = of.rows.iter().filter(|row| row.p.is_some()).count().max(1);
            let share = ERROR_SHARE / tests as f64;
            let (before, after) = (first.len(), second.len());
            if !runs::can_tell(before, after, share) {
                notes.push(format!(
                    "{} before and {after} after: with {} that is too few to tell any change from chance; take {} a side, or \
                     fewer figures by --clock",
                    count(before as u64, "run"),
                    count(tests as u64, "figure"),
                    runs::needed(share),
                ));
            }
            let all = of.before.started.len() == first.len() && of.after.started.len() == second.len();
            if all && (is_earlier(&of.before, &of.after) || is_earlier(&of.after, &of.before)) {
                notes.push(
                    "all runs of one side came before those of the other: whatever drifts with time counts as a change; \
                     take them in turns (A B A B …)"
                        .into(),
                );
            }
        }
    }
    for (side, records) in [(&of.before, first), (&of.after, second)] {
        for (file, record) in side.files.iter().zip(records) {
            if record.run.interrupted {
                notes.push(format!("{file} was interrupted before its end"));
            }
        }
    }
    notes
}

fn is_earlier(one: &Side, other: &Side) -> bool {
    one.started.iter().max() < other.started.iter().min()
}
