//! Causes of made-up faults.

use super::{CLOCK_SET, Change, Kept, LEAP_SECOND, Moment, SUSPEND, explain};
use crate::analyze::faults::{Found, Watch};
use crate::record::{Event, EventKind, Faults, Interval, Kind, Ntp};
use crate::trace::{Description, Promises, Unit};

const UNKNOWN: &str = "unknown";

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
    Kept { steps, sleeps, unsure: &[], before: None, after: None }
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
    let kept = Kept { unsure: &contradictions, ..kept(&[], &[]) };
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
