//! What a watch has counted.

use std::collections::BTreeMap;

use crate::record::{Event, EventKind, Faults, Interruptions, Monotonic, Stalls};

/// Events of each kind that are kept one by one; the counts go on beyond.
const KEPT: usize = 512;

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
    /// Events in the order of time, and how many are left out.
    pub events: Vec<Event>,
    /// Events that are counted but not kept.
    pub events_omitted: u64,
    /// Smallest advance between neighbours, in counts.
    pub smallest_step: Option<u64>,
}

/// Counts as they grow.
#[derive(Debug, Clone)]
pub(super) struct Tally {
    pub(super) reads: u64,
    pub(super) undecided: u64,
    pub(super) failed: u64,
    origin: u64,
    at_ns: f64,
    cpu: Option<u32>,
    stalls: Stalls,
    regressions: Faults,
    warps: Faults,
    interruptions: Interruptions,
    standstill_ns: f64,
    events: Vec<Event>,
    kept: BTreeMap<&'static str, usize>,
    omitted: u64,
    smallest_step: Option<u64>,
}

impl Tally {
    pub(super) fn new(origin: u64) -> Self {
        let none = Faults { count: 0, largest_ns: 0.0, over_1ms: 0 };
        Self {
            reads: 0,
            undecided: 0,
            failed: 0,
            origin,
            at_ns: 0.0,
            cpu: None,
            stalls: Stalls { count: 0, unexplained: 0, longest_reads: 0, longest_ns: 0.0, of_200_reads: 0 },
            regressions: none,
            warps: none,
            interruptions: Interruptions { count: 0, longest_ns: 0.0, by_cause: BTreeMap::new() },
            standstill_ns: 0.0,
            events: Vec::new(),
            kept: BTreeMap::new(),
            omitted: 0,
            smallest_step: None,
        }
    }

    /// Where and when what comes next happened.
    pub(super) fn at(&mut self, witness: u64, cpu: Option<u32>, witness_ns: f64) {
        self.at_ns = witness.wrapping_sub(self.origin) as i64 as f64 * witness_ns;
        self.cpu = cpu;
    }

    pub(super) fn step(&mut self, counts: i64) {
        let counts = counts.unsigned_abs();
        self.smallest_step = Some(self.smallest_step.map_or(counts, |s| s.min(counts)));
    }

    pub(super) fn regression(&mut self, size: f64) {
        add(&mut self.regressions, size);
        self.event(EventKind::Regression, "regression", size, None, "unknown");
    }

    pub(super) fn warp(&mut self, size: f64, uncertainty: f64, cause: &str) {
        add(&mut self.warps, size);
        self.event(EventKind::Warp, "warp", size, Some(uncertainty), cause);
    }

    /// `since`: when it began, by the witness.
    pub(super) fn stall(
        &mut self,
        reads: u64,
        lasted_ns: f64,
        unexplained: bool,
        since: u64,
        witness_ns: f64,
    ) {
        self.stalls.count += 1;
        self.stalls.longest_reads = self.stalls.longest_reads.max(reads);
        self.stalls.longest_ns = self.stalls.longest_ns.max(lasted_ns);
        self.stalls.of_200_reads += u64::from(reads >= 200);
        if unexplained {
            self.stalls.unexplained += 1;
            let now = self.at_ns;
            self.at_ns = since.wrapping_sub(self.origin) as i64 as f64 * witness_ns;
            self.event(EventKind::Stall, "stall", lasted_ns, None, &format!("{reads} equal reads"));
            self.at_ns = now;
        }
    }

    pub(super) fn interruption(&mut self, length_ns: f64, cause: &str) {
        self.interruptions.count += 1;
        self.interruptions.longest_ns = self.interruptions.longest_ns.max(length_ns);
        *self.interruptions.by_cause.entry(cause.into()).or_default() += 1;
        self.standstill_ns += length_ns;
        self.event(EventKind::Interruption, "interruption", length_ns, None, cause);
    }

    fn event(
        &mut self,
        kind: EventKind,
        name: &'static str,
        size_ns: f64,
        uncertainty: Option<f64>,
        cause: &str,
    ) {
        let kept = self.kept.entry(name).or_default();
        if *kept >= KEPT {
            self.omitted += 1;
            return;
        }
        *kept += 1;
        self.events.push(Event {
            kind,
            size_ns,
            size_uncertainty_ns: uncertainty,
            at_ns: self.at_ns,
            cpu: self.cpu,
            cause: cause.into(),
        });
    }

    pub(super) fn found(self) -> Found {
        let monotonic = match (self.regressions.count, self.stalls.count) {
            (1.., _) => Monotonic::Violated,
            (0, 1..) => Monotonic::Weak,
            (0, 0) => Monotonic::Strict,
        };
        Found {
            reads: self.reads,
            undecided: self.undecided,
            failed: self.failed,
            monotonic,
            stalls: self.stalls,
            regressions: self.regressions,
            warps: self.warps,
            interruptions: self.interruptions,
            standstill_ns: self.standstill_ns,
            events: self.events,
            events_omitted: self.omitted,
            smallest_step: self.smallest_step,
        }
    }
}

fn add(faults: &mut Faults, size: f64) {
    faults.count += 1;
    faults.largest_ns = faults.largest_ns.max(size);
    faults.over_1ms += u64::from(size > 1e6);
}
