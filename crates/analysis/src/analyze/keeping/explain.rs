//! Names the cause of faults that the keeping of the clocks accounts for.

use super::leap::leap;
use super::offset::{Change, Moment};
use crate::analyze::faults::Found;
use crate::record::{Event, EventKind, Kind, Ntp};
use crate::trace::Description;

/// The cause of a step of a clock that was set.
pub const CLOCK_SET: &str = "clock set";
/// The cause of a step that was a leap second.
pub const LEAP_SECOND: &str = "leap second";
/// The cause of what a sleep of the machine does.
pub const SUSPEND: &str = "suspend";
/// The cause that says that there is none.
const UNKNOWN: &str = "unknown";

/// How far apart two dates of one moment may lie, relative to the time since the start: looks are dated by the tick as
/// it was known then, at the worst as stated (the kernel's watchdog lets 500 ppm pass), events by the tick as known at
/// the end.
const DATES_APART: f64 = 1e-3;
/// How much longer than by its quantum a clock that is set back stands still, in quanta: it was set within one.
const STANDS: f64 = 1.2;

/// What was seen of the keeping.
#[derive(Debug, Clone, Copy)]
pub struct Kept<'a> {
    /// Steps of the wall clock.
    pub steps: &'a [Change],
    /// Sleeps of the machine.
    pub sleeps: &'a [Change],
    /// When the clock and its witness can't be held against each other: the witness and the kernel's clock contradicted each
    /// other, or the kernel took another clocksource.
    pub unsure: &'a [Change],
    /// The kernel's discipline at the start.
    pub before: Option<&'a Ntp>,
    /// The kernel's discipline at the end.
    pub after: Option<&'a Ntp>,
}

/// An event, and between when and when it happened.
struct Dated<'a> {
    event: &'a Event,
    since_ns: f64,
    until_ns: f64,
}

/// Names the causes among what was found of a clock, whose quantum, or unit, is so many ns.
///
/// A clock that may be set and stepped when the wall clock did, by no more than that, was set: a fault for those who
/// used it for intervals, but with a cause; so is one that stood still for so much longer because it was moved back by
/// less than its quantum. What a sleep did to a clock that is no bare counter is no fault: the
/// clocks disagreed over the sleep because some promise to count it and some not to. Such a warp becomes an
/// interruption. A counter that jumped over a sleep keeps its fault, with the cause. Where the witness may have jumped, or
/// clock or witness became another source's, a warp or a standstill was read but can't be judged. What is counted but not listed among the events stays as it is.
pub fn explain(found: &mut Found, clock: &Description, quantum_ns: Option<f64>, kept: Kept) {
    let is_counter = clock.kind == Kind::Counter;
    // A device keeps a time of its own, which others set.
    let settable = clock.promises.may_step && clock.kind != Kind::Device;
    let mut slept = Vec::new();
    for (event, since_ns) in found.events.iter_mut().zip(&found.since_ns) {
        let dated = Dated::of(event, *since_ns);
        let set = |step: &&Change| {
            settable && dated.is_at(step, is_counter) && dated.is_of_step(step, quantum_ns.unwrap_or(0.0))
        };
        if let Some(step) = kept.steps.iter().find(set) {
            let is_leap = leap(step.size, kept.before, kept.after).is_some();
            event.cause = (if is_leap { LEAP_SECOND } else { CLOCK_SET }).into();
        } else if dated.is_step() && kept.sleeps.iter().any(|sleep| dated.is_at(sleep, is_counter)) {
            event.cause = SUSPEND.into();
            if !is_counter && event.kind == EventKind::Warp {
                event.kind = EventKind::Interruption;
                slept.push(event.size_ns);
            }
        }
    }
    if !slept.is_empty() {
        interrupt(found, &slept);
    }
    if !kept.unsure.is_empty() {
        doubt(found, is_counter, kept.unsure);
    }
}

/// Takes off what a witness that jumped, or another clocksource, may have made: those reads are undecided.
fn doubt(found: &mut Found, is_counter: bool, unsure: &[Change]) {
    let since = std::mem::take(&mut found.since_ns);
    let events = std::mem::take(&mut found.events);
    let mut warps = Vec::new();
    for (event, since_ns) in events.into_iter().zip(since) {
        let dated = Dated::of(&event, since_ns);
        let cause_known = event.cause == CLOCK_SET || event.cause == LEAP_SECOND || event.cause == SUSPEND;
        let at = |change: &Change| !cause_known && dated.is_at(change, is_counter);
        match event.kind {
            EventKind::Warp if unsure.iter().any(at) => warps.push(event.size_ns),
            EventKind::Stall if unsure.iter().any(at) => {
                found.stalls.unexplained = found.stalls.unexplained.saturating_sub(1);
                found.undecided += 1;
            }
            _ => {
                found.events.push(event);
                found.since_ns.push(since_ns);
            }
        }
    }
    if !warps.is_empty() {
        found.undecided += warps.len() as u64;
        no_warps(found, &warps);
    }
}

impl<'a> Dated<'a> {
    fn of(event: &'a Event, since_ns: f64) -> Self {
        let until_ns = if event.kind == EventKind::Stall { event.at_ns + event.size_ns } else { event.at_ns };
        Self { event, since_ns, until_ns }
    }

    /// Whether the change may have happened when the event did. The clocks that events of counters are dated by are the
    /// kernel's.
    fn is_at(&self, change: &Change, kernel_time: bool) -> bool {
        let time = |moment: Moment| if kernel_time { moment.kernel_ns } else { moment.witness_ns };
        // A witness that began anew has no earlier time to compare with.
        let span = |from: f64, to: f64| (if to < from { f64::NEG_INFINITY } else { from }, to);
        let (since, until) = span(self.since_ns, self.until_ns);
        let (from, to) = span(time(change.from), time(change.to));
        let apart = DATES_APART * until.abs().max(to.abs());
        since <= to + apart && from - apart <= until
    }

    /// Whether it is a step without a cause.
    fn is_step(&self) -> bool {
        matches!(self.event.kind, EventKind::Warp | EventKind::Regression) && self.event.cause == UNKNOWN
    }

    /// Whether it is what this step does to a clock that was set along.
    fn is_of_step(&self, step: &Change, quantum_ns: f64) -> bool {
        let size = step.size.low.abs().max(step.size.high.abs());
        let most = match self.event.kind {
            EventKind::Warp | EventKind::Regression if self.is_step() => size + quantum_ns,
            // A clock coarser than the step back shows the same value for so much longer.
            EventKind::Stall if step.size.high < 0.0 => size + STANDS * quantum_ns,
            _ => return false,
        };
        self.event.size_ns <= most + self.event.size_uncertainty_ns.unwrap_or(0.0)
    }
}

/// Takes warps of these sizes, which are no longer among the events, off the counts.
fn no_warps(found: &mut Found, sizes: &[f64]) {
    let warps = &mut found.warps;
    warps.count = warps.count.saturating_sub(sizes.len() as u64);
    warps.over_1ms = warps.over_1ms.saturating_sub(sizes.iter().filter(|size| **size > 1e6).count() as u64);
    let left = found.events.iter().filter(|e| e.kind == EventKind::Warp).map(|e| e.size_ns);
    let largest = left.fold(0.0, f64::max);
    // The largest of all are among the events. Where all of those are explained, a warp that is not listed may be as
    // large as the least of them: the old figure stays, as a bound.
    if warps.count == 0 || largest > 0.0 {
        warps.largest_ns = largest;
    }
}

/// Counts warps of these sizes, which are no longer among the events, as interruptions.
fn interrupt(found: &mut Found, slept: &[f64]) {
    no_warps(found, slept);
    let count = slept.len() as u64;
    let interruptions = &mut found.interruptions;
    interruptions.count += count;
    interruptions.longest_ns = slept.iter().copied().fold(interruptions.longest_ns, f64::max);
    *interruptions.by_cause.entry(SUSPEND.into()).or_default() += count;
}
