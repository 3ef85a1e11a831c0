//! Which of the system's clocks readings may be of, by where they lie.

use super::{DAY_NS, is_wall};
use crate::record::{Beneath, By, Described};
use crate::text;

/// What one of the system's clocks showed right before a program ran and right after it, ns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The clock's id.
    pub clock: String,
    /// What it showed before.
    pub before_ns: i64,
    /// What it showed after.
    pub after_ns: i64,
}

/// What a program's readings of a clock are like.
pub struct Sampled<'a> {
    /// Nanoseconds a unit.
    pub unit_ns: f64,
    /// The readings.
    pub values: &'a Described,
    /// The smallest difference of two that differ, ns, if others are equal.
    pub step_ns: Option<f64>,
}

/// By how much what the kernel's tick keeps up to date is behind at most, ns (100 ticks a second).
const TICK_NS: f64 = 10e6;
/// The least step of such a clock, ns (1000 ticks a second).
const STEP_NS: f64 = 0.9e6;

/// The first of the clocks that all readings lie within what it showed, those of a wall clock perhaps counted from another day
/// than 1970's first. For a program that could not be watched, `why`: one that makes such a time of the counter itself looks the same,
/// and clocks of one epoch do. `None` where there is none, or no reading.
pub fn placed(clock: &Sampled, shown: &[Shown], why: &str) -> Option<Beneath> {
    let values = clock.values;
    let [least, greatest] = [values.min, values.max].map(|value| value * clock.unit_ns);
    // The unit's own rounding, and that of doubles at a time since year 1.
    let early = TICK_NS.max(clock.unit_ns) + 1e4;
    let lies = |shown: &Shown| {
        let [before, after] = [shown.before_ns as f64, shown.after_ns as f64];
        let days = if is_wall(&shown.clock) { ((least - before) / DAY_NS as f64).round() * DAY_NS as f64 } else { 0.0 };
        least >= before + days - early && greatest <= after + days + early
    };
    let mut clocks = shown.iter().filter(|shown| lies(shown)).map(|shown| shown.clock.as_str());
    let first = clocks.next()?;
    let others: Vec<&str> = clocks.collect();
    let is_coarse = clock.unit_ns < STEP_NS && clock.step_ns.is_some_and(|step| step >= STEP_NS);
    let (name, moves) = match first {
        "monotonic" | "realtime" if is_coarse => (format!("{first}-coarse"), ", in steps of the kernel's tick"),
        _ => (first.to_owned(), ""),
    };
    let as_well = if others.is_empty() { String::new() } else { format!("; {} stood there, too", text::list(&others)) };
    Some(Beneath {
        clock: Some(name),
        call: None,
        by: Some(By::Place),
        matched: values.count,
        of: values.count,
        evidence: format!(
            "all its readings lie where {first} stood meanwhile{moves}{as_well} (no call was watched: {why})"
        ),
    })
}
