//! What a watch has counted.

use std::collections::BTreeMap;

use super::kept::{Kept, When};
use super::stall::{Equal, Runs, Stall};
use super::terms::{Excess, Terms};
use crate::record::{Event, EventKind, Faults, Interruptions, Monotonic, Stalls};

/// What was found out about a clock's faults.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Reads watched.
    pub reads: u64,
    /// Reads that could not be judged.
    pub undecided: u64,
    /// Reads that returned an error.
    pub failed: u64,
    /// Order of the values.
    pub monotonic: Monotonic,
    /// Equal neighbours.
    pub stalls: Stalls,
    /// Steps back.
    pub regressions: Faults,
    /// Steps off the witness's bounds.
    pub warps: Faults,
    /// Standstills of the reader.
    pub interruptions: Interruptions,
    /// Standstills of the reader together, ns.
    pub standstill_ns: f64,
    /// Events in the order of time: of each kind the first, the largest and the latest.
    pub events: Vec<Event>,
    /// For each of the events, since when it may have happened: when the clock was last known to be right, ns.
    pub since_ns: Vec<f64>,
    /// Events that are counted but not kept.
    pub events_omitted: u64,
    /// Smallest advance between neighbours, in counts.
    pub smallest_step: Option<u64>,
}

/// Counts as they grow.
#[derive(Debug, Clone)]
pub(super) struct Tally {
    origin: u64,
    at: u64,
    cpu: Option<u32>,
    order: u64,
    /// All but the stalls and the events.
    pub(super) found: Found,
    pub(super) runs: Runs,
    /// Runs that the clock stood still for longer than it may.
    unexplained: u64,
    /// By kind.
    kept: [Kept; 4],
}

impl Tally {
    pub(super) fn new(origin: u64) -> Self {
        let none = Faults { count: 0, largest_ns: 0.0, over_1ms: 0 };
        let found = Found {
            reads: 0,
            undecided: 0,
            failed: 0,
            monotonic: Monotonic::Strict,
            stalls: Runs::default().stalls(0),
            regressions: none,
            warps: none,
            interruptions: Interruptions { count: 0, longest_ns: 0.0, by_cause: BTreeMap::new() },
            standstill_ns: 0.0,
            events: Vec::new(),
            since_ns: Vec::new(),
            events_omitted: 0,
            smallest_step: None,
        };
        let runs = Runs::default();
        Self { origin, at: origin, cpu: None, order: 0, found, runs, unexplained: 0, kept: Default::default() }
    }

    /// Where and when, by the witness, what comes next happened.
    pub(super) fn at(&mut self, at: u64, cpu: Option<u32>) {
        (self.at, self.cpu) = (at, cpu);
    }

    /// What happens now, and may have happened since then.
    pub(super) fn when(&mut self, since: Option<u64>) -> When {
        self.order += 1;
        When { at: self.at, since: since.unwrap_or(self.at), cpu: self.cpu, order: self.order }
    }

    pub(super) fn step(&mut self, counts: i64) {
        let counts = counts.unsigned_abs();
        self.found.smallest_step = Some(self.found.smallest_step.map_or(counts, |s| s.min(counts)));
    }

    pub(super) fn regression(&mut self, size: f64, since: u64) {
        add(&mut self.found.regressions, size);
        let when = self.when(Some(since));
        self.event(EventKind::Regression, size, None, "unknown", when);
    }

    pub(super) fn warp(&mut self, excess: Excess, when: When) {
        add(&mut self.found.warps, excess.size);
        self.event(EventKind::Warp, excess.size, Some(excess.uncertainty), "unknown", when);
    }

    /// A run of equal readings has ended. `since`: when it began, by the witness.
    pub(super) fn stall(&mut self, equal: Equal, standstill_ns: f64, since: u64) {
        let when = When { at: since, ..self.when(Some(since)) };
        let judged = self.runs.end(equal, standstill_ns, when);
        self.stalled(judged);
    }

    fn stalled(&mut self, stalls: Vec<Stall>) {
        self.unexplained += stalls.len() as u64;
        for Stall { reads, lasted_ns, when } in stalls {
            self.event(EventKind::Stall, lasted_ns, None, &format!("{reads} equal reads"), when);
        }
    }

    pub(super) fn interruption(&mut self, length_ns: f64, cause: &str) {
        let interruptions = &mut self.found.interruptions;
        interruptions.count += 1;
        interruptions.longest_ns = interruptions.longest_ns.max(length_ns);
        *interruptions.by_cause.entry(cause.into()).or_default() += 1;
        self.found.standstill_ns += length_ns;
        let when = self.when(None);
        self.event(EventKind::Interruption, length_ns, None, cause, when);
    }

    fn event(&mut self, kind: EventKind, size_ns: f64, uncertainty: Option<f64>, cause: &str, when: When) {
        let event =
            Event { kind, size_ns, size_uncertainty_ns: uncertainty, at_ns: 0.0, cpu: when.cpu, cause: cause.into() };
        self.kept[kind as usize].add(when, event);
    }

    /// All of it; events are dated by the witness's tick as it is known now.
    pub(super) fn found(mut self, terms: &Terms) -> Found {
        let judged = self.runs.judged();
        self.stalled(judged);
        let mut found = self.found;
        found.stalls = self.runs.stalls(self.unexplained);
        found.monotonic = match (found.regressions.count, found.stalls.count) {
            (1.., _) => Monotonic::Violated,
            (0, 1..) => Monotonic::Weak,
            (0, 0) => Monotonic::Strict,
        };
        found.events_omitted = self.kept.iter().map(|kept| kept.omitted).sum();
        let mut events: Vec<_> = self.kept.into_iter().flat_map(Kept::into_events).collect();
        events.sort_unstable_by_key(|(when, _)| (when.at.wrapping_sub(self.origin) as i64, when.order));
        for (when, event) in events {
            found.events.push(Event { at_ns: terms.passed(self.origin, when.at), ..event });
            found.since_ns.push(terms.passed(self.origin, when.since));
        }
        found
    }
}

fn add(faults: &mut Faults, size: f64) {
    faults.count += 1;
    faults.largest_ns = faults.largest_ns.max(size);
    // clockperf's 'Warp'.
    faults.over_1ms += u64::from(size > 1e6);
}
