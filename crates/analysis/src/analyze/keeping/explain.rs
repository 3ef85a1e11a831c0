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
    /// When the clock's witness and the kernel's clock contradicted each other.
    pub contradictions: &'a [Change],
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
/// interruption. A counter that jumped over a sleep keeps its fault, with the cause. Where the witness may have jumped, a warp
/// or a standstill was read but can't be judged. What is counted but not listed among the events stays as it is.
pub fn explain(found: &mut Found, clock: &Description, quantum_ns: Option<f64>, kept: Kept) {
    let is_counter = clock.kind == Kind::Counter;
    // A device keeps a time of its own, which others set.
    let settable = clock.promises.may_step && clock.kind != Kind::Device;
    let mut slept = Vec::new();
    for (event, since_ns) in found.events.iter_mut().zip(&found.since_ns) {
        let until_ns = if event.kind == EventKind::Stall { event.at_ns + event.size_ns } else { event.at_ns };
        let dated = Dated { event, since_ns: *since_ns, until_ns };
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
    doubt(found, is_counter, kept.contradictions);
}

/// Takes off what a witness that jumped may have made: those reads are undecided.
fn doubt(found: &mut Found, is_counter: bool, contradictions: &[Change]) {
    let since = std::mem::take(&mut found.since_ns);
    let events = std::mem::take(&mut found.events);
    let mut warps = Vec::new();
    for (event, since_ns) in events.into_iter().zip(since) {
        let until_ns = if event.kind == EventKind::Stall { event.at_ns + event.size_ns } else { event.at_ns };
        let dated = Dated { event: &event, since_ns, until_ns };
        let cause_known = event.cause == CLOCK_SET || event.cause == LEAP_SECOND || event.cause == SUSPEND;
        let at = |change: &Change| !cause_known && dated.is_at(change, is_counter);
        match event.kind {
            EventKind::Warp if contradictions.iter().any(at) => warps.push(event.size_ns),
            EventKind::Stall if contradictions.iter().any(at) => {
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

impl Dated<'_> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::faults::Watch;
    use crate::record::{Faults, Interval};
    use crate::trace::{Promises, Unit};

    const SECOND: f64 = 1e9;

    fn change(size: f64, from_ns: f64, to_ns: f64) -> Change {
        let moment = |ns: f64| Moment { witness_ns: ns, kernel_ns: ns };
        Change {
            size: Interval { value: size, low: size - 50.0, high: size + 50.0 },
            from: moment(from_ns),
            to: moment(to_ns),
        }
    }

    fn kept<'a>(steps: &'a [Change], sleeps: &'a [Change]) -> Kept<'a> {
        Kept { steps, sleeps, contradictions: &[], before: None, after: None }
    }

    fn described(kind: Kind) -> Description {
        let promises = Promises { may_step: kind == Kind::Wall, ..Promises::default() };
        Description { promises, ..Description::new("clock", "", kind, Unit::Ns(1.0)) }
    }

    /// One event, noticed at the second read a millisecond after the first.
    fn found(kind: EventKind, size_ns: f64, at_ns: f64) -> Found {
        let mut found = Watch::new(0).finish();
        let one = |of| Faults { count: u64::from(kind == of), largest_ns: size_ns, over_1ms: u64::from(kind == of) };
        (found.warps, found.regressions) = (one(EventKind::Warp), one(EventKind::Regression));
        let (size_uncertainty_ns, cause) = (Some(100.0), "unknown".into());
        found.events = vec![Event { kind, size_ns, size_uncertainty_ns, at_ns, cpu: None, cause }];
        found.since_ns = vec![at_ns - 1e6];
        found
    }

    /// The cause of that event, and the warps that are left.
    fn explained(clock: Kind, mut found: Found, quantum_ns: f64, kept: Kept) -> (String, u64) {
        explain(&mut found, &described(clock), Some(quantum_ns), kept);
        (found.events[0].cause.clone(), found.warps.count)
    }

    #[test]
    fn a_step_has_the_cause_that_its_time_and_size_and_clock_allow() {
        use EventKind::{Regression, Stall, Warp};
        let (back, on) = (change(-1e7, SECOND, 1.01e9), change(1e7, SECOND, 1.01e9));
        let second_back = change(-1e9, SECOND, 1.01e9);
        for (clock, kind, size_ns, at_ns, quantum_ns, step, cause) in [
            (Kind::Wall, Regression, 0.9e7, 1.005e9, 1.0, back, CLOCK_SET),
            (Kind::Wall, Warp, 0.99e7, 1.005e9, 1.0, on, CLOCK_SET),
            (Kind::Monotonic, Regression, 0.9e7, 1.005e9, 1.0, back, UNKNOWN),
            (Kind::Wall, Regression, 0.9e7, 0.9e9, 1.0, back, UNKNOWN),
            (Kind::Wall, Regression, 0.9e7, 1.5e9, 1.0, back, UNKNOWN),
            (Kind::Wall, Regression, 2e7, 1.005e9, 1.0, back, UNKNOWN),
            // As large as step and quantum together.
            (Kind::Wall, Regression, 1.2e7, 1.005e9, 4e6, back, CLOCK_SET),
            // A coarse clock stands for the step back, and for no step forward.
            (Kind::Wall, Stall, 1.8e9, 0.5e9, 1e9, second_back, CLOCK_SET),
            (Kind::Wall, Stall, 3.5e9, 0.5e9, 1e9, second_back, UNKNOWN),
            (Kind::Wall, Stall, 1.8e9, 0.5e9, 1e9, on, UNKNOWN),
        ] {
            let case = found(kind, size_ns, at_ns);
            let warps = case.warps.count;
            let is = explained(clock, case, quantum_ns, kept(&[step], &[]));
            assert_eq!(is, (cause.into(), warps), "{clock:?} {kind:?} {size_ns} {at_ns}");
        }
    }

    #[test]
    fn a_leap_second_is_called_one() {
        let after = Ntp { state: "TIME_WAIT".into(), ..Ntp::default() };
        let steps = [change(-1e9, SECOND, 1.01e9)];
        let kept = Kept { after: Some(&after), ..kept(&steps, &[]) };
        let case = found(EventKind::Regression, 0.99e9, 1.005e9);
        assert_eq!(explained(Kind::Wall, case, 1.0, kept).0, LEAP_SECOND);
    }

    #[test]
    fn what_a_sleep_does_is_an_interruption_but_to_a_counter() {
        let sleeps = [change(6e9, SECOND, 1.04e9)];
        let early = found(EventKind::Warp, 6e9, 1.03e9);
        // Every bracket was wide until ten seconds after.
        let late = Found { since_ns: vec![0.99e9], ..found(EventKind::Warp, 5.8e9, 11e9) };
        let other = found(EventKind::Warp, 5.8e9, 11e9);
        for kind in [Kind::Boot, Kind::Monotonic, Kind::Wall] {
            for (case, warps) in [(&early, 0), (&late, 0), (&other, 1)] {
                assert_eq!(explained(kind, case.clone(), 1.0, kept(&[], &sleeps)).1, warps);
            }
        }
        assert_eq!(explained(Kind::Counter, early.clone(), 1.0, kept(&[], &sleeps)), (SUSPEND.into(), 1));
        let mut all = early;
        explain(&mut all, &described(Kind::Boot), None, kept(&[], &sleeps));
        assert_eq!(all.warps, Faults { count: 0, largest_ns: 0.0, over_1ms: 0 });
        assert_eq!((all.interruptions.count, all.interruptions.longest_ns), (1, 6e9));
        assert_eq!(all.events[0].kind, EventKind::Interruption);
    }

    #[test]
    fn what_a_witness_that_jumped_may_have_made_is_undecided() {
        use EventKind::{Regression, Stall, Warp};
        let contradictions = [change(0.0, SECOND, 1.01e9)];
        let kept = Kept { contradictions: &contradictions, ..kept(&[], &[]) };
        for (kind, at_ns, undecided) in
            [(Warp, 1.005e9, 1), (Stall, 1.005e9, 1), (Regression, 1.005e9, 0), (Warp, 1.5e9, 0)]
        {
            let mut case = found(kind, 1e6, at_ns);
            case.stalls.unexplained = u64::from(kind == Stall);
            explain(&mut case, &described(Kind::Monotonic), Some(1.0), kept);
            let left = case.warps.count + case.regressions.count + case.stalls.unexplained;
            assert_eq!((case.undecided, left, case.events.len() as u64), (undecided, 1 - undecided, 1 - undecided));
        }
    }

    #[test]
    fn warps_that_are_not_listed_stay_counted() {
        let sleeps = [change(6e9, SECOND, 1.04e9)];
        for (listed, largest) in [(None, 6e9), (Some(7e6), 7e6)] {
            let mut some = found(EventKind::Warp, 6e9, 1.03e9);
            some.warps = Faults { count: 1000, largest_ns: 6e9, over_1ms: 900 };
            some.events_omitted = 900;
            if let Some(size_ns) = listed {
                some.events.push(Event { size_ns, at_ns: 3e9, ..some.events[0].clone() });
                some.since_ns.push(3e9);
            }
            explain(&mut some, &described(Kind::Monotonic), None, kept(&[], &sleeps));
            assert_eq!(some.warps, Faults { count: 999, largest_ns: largest, over_1ms: 899 });
            assert_eq!((some.events_omitted, some.interruptions.count), (900, 1));
        }
    }

    #[test]
    fn a_witness_that_began_anew_still_dates_the_sleep() {
        let mut sleep = change(6e9, SECOND, 1.04e9);
        sleep.to.witness_ns = -5e12;
        let after = Found { since_ns: vec![0.99e9], ..found(EventKind::Warp, 3.0, -5e12 - 1e6) };
        for (case, warps) in [(after, 0), (found(EventKind::Warp, 3.0, 0.5e9), 1)] {
            assert_eq!(explained(Kind::Monotonic, case, 1.0, kept(&[], &[sleep])).1, warps);
        }
    }
}
