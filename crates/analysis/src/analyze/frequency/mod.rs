//! Every source of the counter's frequency, side by side (docs/method/frequency.md).
//!
//! * `collect` gathers them from a run.
//! * `measured` makes frequencies of readings of clocks beside the counter.
//! * `stated` says what the rounding of a stated one permits.
//! * `khz` knows how the kernel makes its factor of whole kHz, and finds those.
//!
//! Which is to be trusted is judged elsewhere (`judge::frequency`).

mod collect;
mod khz;
mod measured;
mod stated;
#[cfg(test)]
mod tests;

use crate::record::Interval;

/// How far one frequency lies above another, ppm.
pub fn apart(of: Interval, by: Interval) -> Interval {
    let ppm = |of: f64, by: f64| (of / by - 1.0) * 1e6;
    Interval { value: ppm(of.value, by.value), low: ppm(of.low, by.high), high: ppm(of.high, by.low) }
}
