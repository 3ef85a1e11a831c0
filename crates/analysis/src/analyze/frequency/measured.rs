//! The counter's frequency from readings of the counter and another clock.

use crate::analyze::rate::{Quanta, rate};
use crate::record::Interval;
use crate::trace::Bracketed;

/// An interval wider than this, ppm, tells nothing.
const USELESS_PPM: f64 = 1000.0;

/// From readings of a clock of so many nanoseconds a count between two of the counter: Hz.
pub(super) fn by_clock(readings: &[Bracketed], quanta: Quanta, count_ns: f64) -> Result<Interval, String> {
    let found = rate(readings, quanta).filter(|rate| rate.low > 0.0).ok_or(FEW)?;
    let hz = |rate: f64| 1e9 / (rate * count_ns);
    useful(Interval { value: hz(found.value), low: hz(found.high), high: hz(found.low) })
}

/// From readings of the counter between two of a clock of so many nanoseconds a count: Hz.
pub(super) fn of_counter(readings: &[Bracketed], quanta: Quanta, count_ns: f64) -> Result<Interval, String> {
    let found = rate(readings, quanta).ok_or(FEW)?;
    let hz = |rate: f64| 1e9 * rate / count_ns;
    useful(Interval { value: hz(found.value), low: hz(found.low), high: hz(found.high) })
}

const FEW: &str = "too few readings beside the counter";

/// The frequency, if it is known well enough to tell anything.
pub(super) fn useful(hz: Interval) -> Result<Interval, String> {
    let open = (hz.high - hz.low) / hz.value * 1e6;
    if open.is_nan() || open > USELESS_PPM {
        return Err(format!(
            "its steps, or the brackets of its reads, are too wide for the time: {open:.0} ppm stay open"
        ));
    }
    Ok(hz)
}
