//! Names the cause of faults that the keeping of the clocks accounts for.

use super::leap::leap;
use super::offset::{Change, Moment};
use crate::record::{Event, EventKind, Kind, Ntp};

/// The cause of a step of a clock that was set.
pub const CLOCK_SET: &str = "clock set";
/// The cause of a step that was a leap second.
pub const LEAP_SECOND: &str = "leap second";
/// The cause of what a sleep of the machine does.
pub const SUSPEND: &str = "suspend";

/// How long after the wall clock and the sleep were looked at all other clocks have been read too, ns.
pub const LATER_NS: f64 = 100e6;
/// How far sizes may differ beyond their uncertainties, ns: a step is dated by looks, not by the fault's reads.
const SLACK_NS: f64 = 10_000.0;
/// The cause that says that there is none.
const UNKNOWN: &str = "unknown";

/// What was seen of the keeping.
#[derive(Debug, Clone, Copy)]
pub struct Kept<'a> {
    /// Steps of the wall clock.
    pub steps: &'a [Change],
    /// Sleeps of the machine.
    pub sleeps: &'a [Change],
    /// The kernel's discipline at the start.
    pub before: Option<&'a Ntp>,
    /// The kernel's discipline at the end.
    pub after: Option<&'a Ntp>,
}

/// Names the causes among the clock's events.
///
/// A clock that may be set and stepped when the wall clock did, by no more than that, was set: a fault for those who
/// used it for intervals, but with a cause; so is one that stood still for so much longer because it was moved back by
/// less than its quantum. What a sleep did to a clock that is no bare counter is no fault: the
/// clocks disagreed over the sleep because some promise to count it and some not to. Such a warp becomes an
/// interruption. A counter that jumped over a sleep keeps its fault, with the cause.
pub fn explain(
    clock: &mut crate::analyze::faults::Found,
    description: &crate::trace::Description,
    quantum_ns: Option<f64>,
    kept: Kept,
) {
    let is_counter = description.kind == Kind::Counter;
    // A device keeps a time of its own, which others set.
    let settable = description.promises.may_step && description.kind != Kind::Device;
    let quantum_ns = quantum_ns.unwrap_or(0.0);
    let mut slept: Vec<usize> = Vec::new();
    for (index, event) in clock.events.iter_mut().enumerate() {
        let set = |step: &&Change| settable && is_of_step(event, step, is_counter, quantum_ns);
        if let Some(step) = kept.steps.iter().find(set) {
            let is_leap = leap(step.size, kept.before, kept.after).is_some();
            event.cause = (if is_leap { LEAP_SECOND } else { CLOCK_SET }).into();
        } else if kept.sleeps.iter().any(|sleep| is_of_sleep(event, sleep, is_counter)) {
            event.cause = SUSPEND.into();
            if !is_counter && event.kind == EventKind::Warp {
                slept.push(index);
            }
        }
    }
    for index in slept {
        interrupt(clock, index);
    }
}

/// Whether the fault is what this step does to a clock that was set along.
fn is_of_step(event: &Event, step: &Change, kernel_time: bool, quantum_ns: f64) -> bool {
    let size = step.size.low.abs().max(step.size.high.abs());
    let unsure = event.size_uncertainty_ns.unwrap_or(0.0) + SLACK_NS;
    match event.kind {
        EventKind::Warp | EventKind::Regression if event.cause == UNKNOWN => {
            // One noticed long after, because every bracket was wide until then, has the size.
            let late = event.kind == EventKind::Warp
                && began(step, kernel_time) <= event.at_ns
                && (event.size_ns - size).abs() <= unsure;
            late || (is_within(event.at_ns, step, kernel_time) && event.size_ns <= size + unsure)
        }
        // A clock coarser than the step back shows the same value for so much longer.
        EventKind::Stall if step.size.high < 0.0 => {
            let over = event.at_ns + event.size_ns + LATER_NS;
            (event.at_ns..=over).contains(&ended(step, kernel_time))
                && event.size_ns <= size + 1.2 * quantum_ns + unsure
        }
        _ => false,
    }
}

/// Whether the fault is what this sleep does: at its time, or later but with one of the two sizes that it can have, by
/// how much the witness and the kernel's clock disagreed over the sleep.
fn is_of_sleep(event: &Event, sleep: &Change, kernel_time: bool) -> bool {
    if !matches!(event.kind, EventKind::Warp | EventKind::Regression) || event.cause != UNKNOWN {
        return false;
    }
    let kernel = sleep.to.kernel_ns - sleep.from.kernel_ns;
    let apart = sleep.to.witness_ns - sleep.from.witness_ns - kernel;
    let unsure = event.size_uncertainty_ns.unwrap_or(0.0) + SLACK_NS + 1e-3 * kernel;
    let sized =
        [apart, sleep.size.value - apart].iter().any(|size| (event.size_ns - size.abs()).abs() <= unsure);
    is_within(event.at_ns, sleep, kernel_time) || (sized && began(sleep, kernel_time) <= event.at_ns)
}

/// When the change began at the earliest, in the time by which the clock's events are dated.
fn began(change: &Change, kernel_time: bool) -> f64 {
    let (from, to) = (time(change.from, kernel_time), ended(change, kernel_time));
    // A witness that began anew has no earlier time to compare with.
    if to < from { f64::NEG_INFINITY } else { from }
}

/// When it was over at the latest.
fn ended(change: &Change, kernel_time: bool) -> f64 {
    time(change.to, kernel_time)
}

fn time(moment: Moment, kernel_time: bool) -> f64 {
    if kernel_time { moment.kernel_ns } else { moment.witness_ns }
}

/// Whether an event at `at_ns` may come of the change: it was noticed at the clock's first reading after it.
fn is_within(at_ns: f64, change: &Change, kernel_time: bool) -> bool {
    (began(change, kernel_time)..=ended(change, kernel_time) + LATER_NS).contains(&at_ns)
}

/// Makes an interruption of a warp.
fn interrupt(clock: &mut crate::analyze::faults::Found, index: usize) {
    let event = &mut clock.events[index];
    event.kind = EventKind::Interruption;
    let size_ns = event.size_ns;
    clock.warps.count = clock.warps.count.saturating_sub(1);
    clock.warps.over_1ms = clock.warps.over_1ms.saturating_sub(u64::from(size_ns > 1e6));
    // Where events were left out the largest may be among them: it stays, as a bound.
    if clock.events_omitted == 0 {
        let left = clock.events.iter().filter(|e| e.kind == EventKind::Warp).map(|e: &Event| e.size_ns);
        clock.warps.largest_ns = left.fold(0.0, f64::max);
    }
    let interruptions = &mut clock.interruptions;
    interruptions.count += 1;
    interruptions.longest_ns = interruptions.longest_ns.max(size_ns);
    *interruptions.by_cause.entry(SUSPEND.into()).or_default() += 1;
}
