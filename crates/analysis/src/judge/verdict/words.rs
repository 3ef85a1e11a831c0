//! What the verdict's sentences have in common.

use crate::judge::facts::Facts;
use crate::judge::faults::{count, is_faultless};
use crate::judge::figures::{self, is_measured};
use crate::record::{Clock, EventKind, Kind};
use crate::text;

/// `went back 3 times, jumped 2 times`; empty where nothing is wrong.
pub(super) fn faults(facts: &Facts, clock: &Clock) -> String {
    let counts = [
        (count(clock, EventKind::Regression), "went back"),
        (count(clock, EventKind::Warp), "jumped"),
        (count(clock, EventKind::Stall), "stood still"),
        (clock.failed_reads, "failed"),
    ];
    let some = counts.into_iter().filter(|(count, _)| *count > 0);
    let mut said: Vec<String> = some.map(|(count, did)| format!("{did} {}", text::count(count, "time"))).collect();
    if facts.is_disagreeing(clock) {
        said.push("disagrees with itself from one CPU to another (CS016)".into());
    } else if said.is_empty() {
        let counter = "rests on a counter that differs from one CPU to another (CS016)";
        said.push(if is_faultless(clock) { counter } else { "went back" }.into());
    }
    text::list(&said)
}

/// Why none of the clocks that fit by kind will do.
pub(super) fn why_none(facts: &Facts, what: &str, fitting: &[&Clock]) -> String {
    let faulty: Vec<String> =
        fitting.iter().filter(|c| !facts.is_sound(c)).map(|c| format!("{} {}", c.id, faults(facts, c))).collect();
    if faulty.is_empty() && !fitting.is_empty() {
        format!("Of no clock fit for {what} enough is known.")
    } else if faulty.is_empty() {
        format!("No clock fit for {what} was measured.")
    } else {
        format!("No measured clock can be trusted for {what}: {}.", text::shortened(&faulty, 3))
    }
}

/// A sentence on the library that answers in the C library's place, if one does.
pub(super) fn interposition(clock: &Clock) -> String {
    let mind = |library| format!(" {library} answers it here (CS013).");
    clock.interposed_by.as_ref().map_or_else(String::new, mind)
}

/// The ordinary, measured entries of these kinds that are there for reading time.
pub(super) fn measured<'a>(facts: &Facts<'a>, kinds: &[Kind]) -> Vec<&'a Clock> {
    facts.ordinary().filter(|c| c.for_timing && is_measured(c) && kinds.contains(&c.kind)).collect()
}

/// The cheapest, by median cost; those of unknown cost come last.
pub(super) fn cheapest<'a>(clocks: impl IntoIterator<Item = &'a Clock>) -> Option<&'a Clock> {
    let key = |c: &Clock| figures::cost(c).unwrap_or(f64::INFINITY);
    clocks.into_iter().min_by(|a, b| key(a).total_cmp(&key(b)))
}
