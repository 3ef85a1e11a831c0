//! The loops on this machine's own CPUs. Nothing is asserted that load could break.

use std::time::Duration;

use super::shifted::Shifted;
use super::{Span, Workers};
use crate::catalog::clock;
use crate::measure::{Witness, allowed_cpus};
use clockscope_analysis::analyze::skew::rounds;
use clockscope_analysis::trace::{Bounds, Exchange};

const SPAN: Span = Span { exchange: Duration::from_millis(60), lock: Duration::from_millis(40), at_b: false };

/// Two CPUs, or none where this process has but one.
fn two() -> Option<[u32; 2]> {
    let allowed = allowed_cpus().ok()?;
    Some([*allowed.first()?, *allowed.get(1)?])
}

/// Whether bounds tell an offset from none.
fn tells(bounds: Bounds) -> bool {
    bounds.low > Some(0) || bounds.high.is_some_and(|high| high < 0)
}

/// Both CPUs' trace of the clock that is `by` ahead on the second one.
fn played(by: i64) -> Option<Exchange> {
    let cpus = two()?;
    let witness = Witness::counter().or(Witness::kernel())?;
    let clock = Shifted { witness, on: cpus[1], by: by as u64 };
    let mut workers = Workers::start(&cpus, || Box::new(clock));
    assert!(workers.lost.is_empty(), "{:?}", workers.lost);
    let mut total = Exchange::default();
    // Others may keep the two from running at the same time for a while: a message that waits for its reader is on its way for
    // longer than the offset, and nothing goes back by then.
    for _ in 0..100 {
        let trace = workers.play(&[(cpus[0], cpus[1])], SPAN, &mut || false).remove(0);
        total.add(&trace.expect("both threads answer"));
        if total.bounds.low.is_some() && total.bounds.high.is_some() && (by == 0 || tells(total.bounds)) {
            break;
        }
    }
    Some(total)
}

#[test]
fn an_offset_lies_within_its_bounds_and_readings_go_back_by_it() {
    for by in [0, 1_000_000, -1_000_000, 40_000, -40_000, i64::from(i32::MAX) * 1000] {
        let Some(trace) = played(by) else { return };
        let (low, high) = (trace.bounds.low.expect("low"), trace.bounds.high.expect("high"));
        assert!(low <= by && by <= high, "{by} is not within {low} to {high}");
        assert!(!trace.strayed && trace.failed == 0);
        // Where no message was ever quicker than the offset, it shows neither way; the last one is a quarter of an hour.
        assert_eq!(trace.backward > 0, tells(trace.bounds), "{by}: {} of {} went back", trace.backward, trace.ordered);
        assert!(trace.backward > 0 || by < i64::from(i32::MAX) * 1000, "none of {} went back", trace.ordered);
        assert!(trace.largest <= by.unsigned_abs(), "{by}: {}", trace.largest);
    }
}

/// A clock whose every read fails.
#[derive(Clone, Copy)]
struct Broken;

clock!(Broken, u64 = 0, |self, _out| -1, |raw| *raw);

#[test]
fn a_clock_that_fails_ends_its_round_and_says_so() {
    let Some(cpus) = two() else { return };
    let mut workers = Workers::start(&cpus, || Box::new(Broken));
    let trace = workers.play(&[(cpus[0], cpus[1])], SPAN, &mut || false).remove(0).expect("both answer");
    assert!(trace.failed > 0 && trace.messages == 0);
}

#[test]
fn a_cpu_that_there_is_not_is_lost_with_a_reason_and_spares_the_others() {
    let Some(cpus) = two() else { return };
    let none = 60_000;
    let mut workers = Workers::start(&[cpus[0], none, cpus[1]], || Box::new(Broken));
    assert_eq!(workers.cpus(), cpus);
    assert!(workers.lost.get(&none).is_some_and(|reason| reason.contains("pinned")), "{:?}", workers.lost);
    let traces = workers.play(&[(cpus[0], none)], SPAN, &mut || false);
    assert_eq!(traces, [None]);
    assert_eq!(rounds(workers.cpus().len()), [[(0, 1)]]);
}

#[test]
fn a_wish_to_stop_ends_a_long_round() {
    let Some(cpus) = two() else { return };
    let witness = Witness::kernel().expect("a kernel's clock");
    let mut workers = Workers::start(&cpus, || Box::new(Shifted { witness, on: cpus[1], by: 0 }));
    let long = Span { exchange: Duration::from_secs(3600), lock: Duration::from_secs(3600), at_b: true };
    let traces = workers.play(&[(cpus[0], cpus[1])], long, &mut || true);
    assert_eq!(traces.len(), 1);
}
