//! What was injected, beside what a record says of it.

use clockscope_analysis::record::{Clock, Event, EventKind};

use crate::{Entry, Kind, Log};

/// An injected regression or warp, and what the record says of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// What was done.
    pub kind: Kind,
    /// Its size, ns.
    pub injected_ns: f64,
    /// The size in the record, ns.
    pub reported_ns: f64,
    /// The record's half width, ns; 0 where the record calls the size exact.
    pub uncertainty_ns: f64,
}

impl Match {
    /// Whether the true size lies within what the record states.
    pub fn holds(&self) -> bool {
        // Sizes are whole ns on one side, products of floats on the other.
        (self.injected_ns - self.reported_ns).abs() <= self.uncertainty_ns + 0.5
    }
}

/// A record beside a log.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Comparison {
    /// The regressions and warps, one by one, as far as their order agrees.
    pub matches: Vec<Match>,
    /// What does not agree, in words; empty: all does.
    pub wrong: Vec<String>,
}

/// Lays the clock's entry of a record beside the log. Every regression, warp, stall and failed read that was injected
/// must be in the record, no other one may be, and each size must lie within its stated uncertainty.
pub fn compare(clock: &Clock, log: &Log) -> Comparison {
    let mut found = Comparison::default();
    let id = clock.id.as_str();
    if !log.complete || log.lost > 0 {
        found.wrong.push(format!("the log is not whole: complete {}, lost {}", log.complete, log.lost));
    }
    let injected = |kind| log.count(id, kind);
    let counts = [
        ("regressions", injected(Kind::Regression), clock.regressions.count),
        ("warps", injected(Kind::Warp), clock.warps.count),
        ("stalls", injected(Kind::Stall), stalls(clock)),
    ];
    for (name, injected, reported) in counts {
        if injected != reported {
            found.wrong.push(format!("{name}: {injected} injected, {reported} reported"));
        }
    }
    let longest = log.of(id, Kind::Stall).map(|stall| stall.size as u64).max();
    if let Some(longest) = longest.filter(|_| !stalls_naturally(clock))
        && longest != clock.stalls.longest_reads
    {
        let seen = clock.stalls.longest_reads;
        found.wrong.push(format!("longest stall: {longest} reads injected, {seen} reported"));
    }
    // Beyond some hundreds of a kind a record counts on but lists no more: then there is nothing to compare.
    let listed = |kind| clock.events.iter().filter(|event| event.kind == kind).count() as u64;
    let all = [(EventKind::Regression, clock.regressions.count), (EventKind::Warp, clock.warps.count)];
    if clock.events_omitted == 0 || all.iter().all(|(kind, count)| listed(*kind) == *count) {
        found.one_by_one(clock, log);
    }
    found
}

impl Comparison {
    /// The regressions and warps in their order.
    fn one_by_one(&mut self, clock: &Clock, log: &Log) {
        let steps = |entry: &&Entry| entry.clock == clock.id && matches!(entry.kind, Kind::Regression | Kind::Warp);
        let mut injected = log.entries.iter().filter(steps);
        let mut reported = clock.events.iter().filter_map(|event| Some((kind(event)?, event)));
        loop {
            match (injected.next(), reported.next()) {
                (None, None) => return,
                (Some(entry), Some((kind, event))) if entry.kind == kind => {
                    let one = Match {
                        kind,
                        injected_ns: entry.size,
                        reported_ns: event.size_ns,
                        uncertainty_ns: event.size_uncertainty_ns.unwrap_or(0.0),
                    };
                    if !one.holds() {
                        self.wrong.push(format!("{one:?} (read {}): outside", entry.read));
                    }
                    self.matches.push(one);
                }
                (entry, event) => {
                    self.wrong.push(format!("from here on they differ: injected {entry:?}, found {event:?}"));
                    return;
                }
            }
        }
    }
}

fn kind(event: &Event) -> Option<Kind> {
    match event.kind {
        EventKind::Regression => Some(Kind::Regression),
        EventKind::Warp => Some(Kind::Warp),
        EventKind::Stall | EventKind::Interruption => None,
    }
}

/// Whether the clock can return the same value twice in a row although nothing is wrong with it.
fn stalls_naturally(clock: &Clock) -> bool {
    let cost = clock.cost_ns.map_or(0.0, |cost| cost.median);
    clock.tick_ns.quantum_high.is_none_or(|quantum| quantum >= cost)
}

/// The stalls that are faults: all, or those that the quantum does not explain.
fn stalls(clock: &Clock) -> u64 {
    if stalls_naturally(clock) { clock.stalls.unexplained } else { clock.stalls.count }
}
