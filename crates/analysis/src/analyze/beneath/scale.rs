//! A label's readings in nanoseconds, and how closely they can agree with what was told.

use super::{Readings, Value};

/// A label's readings.
#[derive(Debug)]
pub(super) struct Scale {
    /// Each, ns, rounded down; in order of size.
    pub(super) sorted_ns: Vec<i128>,
    /// How many differ.
    pub(super) distinct: usize,
    /// How far a reading may lie from the value that it was made of, ns.
    pub(super) within_ns: i128,
    /// Whether they were written with a point, so that they may have been floating-point numbers.
    is_rounded: bool,
}

/// Coarsest unit, and most nanoseconds, of a reading that is compared: beyond is no time that a kernel tells.
const MOST_NS: f64 = 1e24;
/// The coarsest step that readings may be multiples of by design, ns.
const COARSEST_NS: i128 = 1_000_000_000;

impl Scale {
    pub(super) fn new(readings: &Readings) -> Self {
        let unit = readings.unit_ns;
        let is_known = unit.is_finite() && unit > 0.0 && unit < MOST_NS;
        let values = if is_known { &readings.values[..] } else { &[] };
        let mut sorted_ns: Vec<i128> = values.iter().filter_map(|value| ns(*value, unit)).collect();
        sorted_ns.sort_unstable();
        let distinct = sorted_ns.chunk_by(|a, b| a == b).count();
        let decimals = values.iter().map(|value| value.decimals).max().unwrap_or(0);
        let step = unit / 10f64.powi(decimals.min(400) as i32);
        let largest = sorted_ns.iter().map(|ns| ns.unsigned_abs()).max().unwrap_or(0);
        let mut within_ns = lattice(&sorted_ns).max(step.ceil().min(MOST_NS) as i128);
        if decimals > 0 || unit.fract() != 0.0 {
            // Two roundings of a number of 53 bits.
            within_ns = within_ns.max((largest >> 51) as i128);
        } else if within_ns == 1 {
            within_ns = 0;
        }
        Self { sorted_ns, distinct, within_ns, is_rounded: decimals > 0 }
    }

    /// How closely they may agree, ns, the closest first: a fraction may have been made of whole microseconds, and its own
    /// rounding hides them; and whole nanoseconds of binary fractions of a second.
    pub(super) fn tolerances_ns(&self) -> impl Iterator<Item = i128> {
        const MICROSECOND: i128 = 1000;
        const TWICE_ROUNDED: i128 = 2;
        let looser = match (self.is_rounded, self.within_ns) {
            (false, 0) => Some(TWICE_ROUNDED),
            (true, ..MICROSECOND) => Some(self.within_ns + MICROSECOND),
            _ => None,
        };
        [Some(self.within_ns), looser].into_iter().flatten()
    }
}

/// A value in nanoseconds, rounded down; `None` where that is no time.
fn ns(value: Value, unit_ns: f64) -> Option<i128> {
    let power = 10_i128.checked_pow(value.decimals);
    let exact = (unit_ns.fract() == 0.0).then_some(unit_ns as i128).and_then(|unit| value.digits.checked_mul(unit));
    let rounded = || {
        let ns = value.digits as f64 / 10f64.powi(value.decimals.min(400) as i32) * unit_ns;
        ns.is_finite().then_some(ns.floor() as i128)
    };
    let exact = exact.zip(power).map(|(exact, power)| exact.div_euclid(power));
    let ns = exact.or_else(rounded)?;
    (ns.unsigned_abs() < MOST_NS as u128).then_some(ns)
}

/// The largest power of ten that all are multiples of, ns: readings of milliseconds may be written in seconds.
fn lattice(ns: &[i128]) -> i128 {
    let mut step = 1;
    while step < COARSEST_NS && !ns.is_empty() && ns.iter().all(|ns| ns % (step * 10) == 0) {
        step *= 10;
    }
    step
}
