//! One clock's offset from the reference, look by look.

use crate::analyze::changes::{Change, Changes, Look};
use crate::analyze::faults::Found;
use crate::analyze::stability::Stability;
use crate::record::Interval;
use crate::trace::Bracketed;

/// Most looks in a row that a line fills in where they were missed; after a longer pause the stability is of what comes.
const MOST_FILLED: f64 = 1000.0;

/// A clock that is watched.
#[derive(Debug, Clone)]
pub(super) struct Track {
    pub(super) count_ns: f64,
    reference_ns: f64,
    quantum_ns: f64,
    every_ns: f64,
    first: Bracketed,
    pub(super) looks: u64,
    last: Option<Look>,
    before: Option<Look>,
    /// Where the rate over the whole begins: at the first look after the last step.
    since: Option<Look>,
    stepped: bool,
    pub(super) changes: Changes,
    pub(super) steps: u64,
    pub(super) slews: u64,
    pub(super) stability: Stability,
    /// The first look of the stability's series, and its points so far.
    origin_ns: f64,
    pub(super) filled: u64,
    pub(super) restarted: bool,
    /// Faults and interruptions before the look under way.
    counts: Counts,
    is_fresh: bool,
}

/// Faults and interruptions.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    faults: u64,
    interruptions: u64,
}

impl Counts {
    pub(super) fn of(found: &Found) -> Self {
        Self { faults: found.regressions.count + found.warps.count, interruptions: found.interruptions.count }
    }
}

impl Track {
    pub(super) fn new(count_ns: f64, reference_ns: f64, quantum_ns: f64, every_ns: f64, first: Bracketed) -> Self {
        Self {
            count_ns,
            reference_ns,
            quantum_ns,
            every_ns,
            first,
            looks: 0,
            last: None,
            before: None,
            since: None,
            stepped: false,
            changes: Changes::new(quantum_ns),
            steps: 0,
            slews: 0,
            stability: Stability::new(every_ns),
            origin_ns: 0.0,
            filled: 0,
            restarted: false,
            counts: Counts::default(),
            is_fresh: false,
        }
    }

    /// A look begins, with so many faults before it.
    pub(super) fn begin(&mut self, counts: Counts) {
        (self.counts, self.is_fresh) = (counts, false);
    }

    /// One look at it.
    pub(super) fn push(&mut self, reading: Bracketed, at_ns: f64) -> Option<Change> {
        let passed = |to: u64, from: u64| to.wrapping_sub(from) as i64 as f64;
        let own = passed(reading.value, self.first.value) * self.count_ns;
        let half = self.first.width() as f64 / 2.0;
        let middle = passed(reading.before, self.first.before) + (reading.width() as f64 / 2.0 - half);
        let half_ns = reading.width() as f64 / 2.0 * self.reference_ns;
        let look = Look { at_ns, offset_ns: own - middle * self.reference_ns, half_ns };
        self.before = self.last.replace(look);
        self.since.get_or_insert(look);
        if std::mem::take(&mut self.stepped) {
            self.since = Some(look);
        }
        self.looks += 1;
        self.is_fresh = true;
        self.fill(look);
        let change = self.changes.push(look)?;
        if change.step_ns.is_some() {
            self.steps += 1;
            self.stepped = true;
        }
        self.slews += u64::from(change.slew_ppm.is_some());
        Some(change)
    }

    /// The points of an even series up to this look, on the line from the one before.
    fn fill(&mut self, look: Look) {
        let Some(before) = self.before else {
            self.origin_ns = look.at_ns;
            self.stability.push(look.offset_ns);
            return;
        };
        let next = |points: u64| self.origin_ns + points as f64 * self.every_ns;
        let span = look.at_ns - before.at_ns;
        if (look.at_ns - next(self.stability.points())) / self.every_ns > MOST_FILLED || span.is_nan() || span <= 0.0 {
            self.stability = Stability::new(self.every_ns);
            (self.origin_ns, self.restarted) = (look.at_ns, true);
            self.stability.push(look.offset_ns);
            return;
        }
        let mut points = 0;
        let mut at = next(self.stability.points());
        while at <= look.at_ns {
            let share = ((at - before.at_ns) / span).clamp(0.0, 1.0);
            self.stability.push(before.offset_ns + share * (look.offset_ns - before.offset_ns));
            points += 1;
            at += self.every_ns;
        }
        // One point may be late to the look before, and one early.
        self.filled += u64::saturating_sub(points, if span > 1.5 * self.every_ns { 1 } else { 2 });
    }

    /// Its latest look, if the clock was read in the look under way.
    pub(super) fn fresh(&self) -> Option<Look> {
        self.last.filter(|_| self.is_fresh)
    }

    /// Faults and interruptions of the look under way.
    pub(super) fn new_counts(&self, now: Counts) -> (u64, u64) {
        let Counts { faults, interruptions } = self.counts;
        (now.faults.saturating_sub(faults), now.interruptions.saturating_sub(interruptions))
    }

    /// What it gained since the first look, ns.
    pub(super) fn gained(&self) -> Option<Interval> {
        let last = self.last?;
        let half = last.half_ns + self.first.width() as f64 / 2.0 * self.reference_ns + self.quantum_ns;
        Some(Interval { value: last.offset_ns, low: last.offset_ns - half, high: last.offset_ns + half })
    }

    /// Its rate over the last interval, ppm.
    pub(super) fn rate(&self) -> Option<Interval> {
        self.between(self.before?)
    }

    /// Its rate since the last step, ppm.
    pub(super) fn whole(&self) -> Option<Interval> {
        self.between(self.since?)
    }

    fn between(&self, from: Look) -> Option<Interval> {
        let last = self.last?;
        let span = last.at_ns - from.at_ns;
        let half = (last.half_ns + from.half_ns + self.quantum_ns) / span * 1e6;
        let value = (last.offset_ns - from.offset_ns) / span * 1e6;
        (span > 0.0).then_some(Interval { value, low: value - half, high: value + half })
    }
}
