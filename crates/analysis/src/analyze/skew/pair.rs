//! The interval of two CPUs.

use super::drift::drift;
use super::{Played, Terms};
use crate::record::{Backward, Interval, SkewPair};
use crate::trace::{Bounds, Exchange};

/// The entry of a pair; without an interval where the trace says nothing.
pub(super) fn pair(terms: &Terms, played: &Played) -> SkewPair {
    let empty = SkewPair { cpu_a: played.cpu_a, cpu_b: played.cpu_b, distance: played.distance, ..SkewPair::default() };
    let because = |reason: &str| SkewPair { missing: Some(reason.into()), ..empty.clone() };
    let trace = match &played.found {
        Ok(trace) if trace.strayed => {
            return because("a thread was found on another CPU than its own, which was taken away from it");
        }
        Ok(trace) => trace,
        Err(reason) => return because(reason),
    };
    let moved = if terms.set {
        Err("the clock was set during the run".into())
    } else {
        drift(&trace.visits, terms.quantum, terms.count_ns.value)
    };
    let (drift, drift_missing) = match moved {
        Ok(drift) => (Some(drift), None),
        Err(reason) => (None, Some(reason)),
    };
    let counted = SkewPair {
        drift,
        drift_missing,
        round_trip_ns: trace.round_trip.map(|counts| counts as f64 * terms.count_ns.value),
        nodes: trace.nodes.clone(),
        messages: trace.messages,
        backward: Backward {
            count: trace.backward,
            of: trace.ordered,
            largest_ns: (trace.backward > 0).then_some(trace.largest as f64 * terms.count_ns.value),
        },
        ..empty
    };
    let Some((low, high, constant)) = interval(trace, terms.quantum) else {
        return SkewPair { missing: Some(reason(trace)), ..counted };
    };
    let (low_ns, high_ns) = outward(low, high, terms.count_ns);
    SkewPair {
        low_ns: Some(low_ns),
        high_ns: Some(high_ns),
        low_counts: Some(low),
        high_counts: Some(high),
        constant: Some(constant),
        ..counted
    }
}

/// Both ends in counts, and whether one offset explains all messages.
fn interval(trace: &Exchange, quantum: Option<f64>) -> Option<(i64, i64, bool)> {
    let slack = quantum.map_or(0, |quantum| quantum.ceil() as i64);
    let widened = |bounds: Bounds| Some((bounds.low?.saturating_sub(slack), bounds.high?.saturating_add(slack)));
    let (low, high) = widened(trace.bounds)?;
    if low <= high {
        return Some((low, high, true));
    }
    // No offset was right all the time: the range that block by block allows.
    let (low, high) = widened(trace.ever?)?;
    (low <= high).then_some((low, high, false))
}

/// Why there is no interval.
fn reason(trace: &Exchange) -> String {
    if trace.failed > 0 {
        "a read of the clock failed on one of the two CPUs".into()
    } else if trace.bounds.low.is_some() && trace.bounds.high.is_some() {
        "the offset changed faster than messages could follow".into()
    } else {
        "no message went there and back in the time there was: one of the two CPUs was busy with something else".into()
    }
}

/// Counts as ns, so that the tick's own uncertainty widens the interval.
pub(super) fn outward(low: i64, high: i64, count_ns: Interval) -> (f64, f64) {
    let times = |counts: i64, if_positive: f64, if_negative: f64| {
        counts as f64 * if counts > 0 { if_positive } else { if_negative }
    };
    (times(low, count_ns.low, count_ns.high), times(high, count_ns.high, count_ns.low))
}
