//! How fast a clock runs by the reference, as the record states it.

use super::{Quanta, rate};
use crate::record::Rate;
use crate::trace::Bracketed;

/// An interval wider than this, ppm, tells nothing: no clock that keeps time at all is off by so much.
const USELESS_PPM: f64 = 10_000.0;

/// What the counts of a track are worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// Nanoseconds a count of the clock, as stated.
    pub count_ns: f64,
    /// Nanoseconds a count of the reference.
    pub reference_ns: f64,
    /// Quanta of clock and reference, each in its counts.
    pub quanta: Quanta,
}

/// The rate from the clock's readings between two of the reference, or the reason why there is none.
pub fn relative(track: &[Bracketed], scale: Scale, against: &str) -> Result<Rate, String> {
    let Scale { count_ns, reference_ns, quanta } = scale;
    let found = rate(track, quanta).ok_or("too few readings beside the reference")?;
    let ppm = |found: f64| (found * count_ns / reference_ns - 1.0) * 1e6;
    let [low, value, high] = [found.low, found.value, found.high].map(ppm);
    let open = high - low;
    if open.is_nan() || open > USELESS_PPM {
        return Err(format!(
            "its steps, or the brackets of its reads, are too wide for the time: the run leaves {open:.0} ppm open"
        ));
    }
    Ok(Rate { ppm: value, low_ppm: low, high_ppm: high, against: against.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NS: Scale = Scale { count_ns: 1.0, reference_ns: 1.0, quanta: Quanta { clock: 1.0, by: 1.0 } };

    /// A clock of `count_ns` that runs `ppm` fast, read every 10 ms for a second.
    fn track(ppm: f64, count_ns: f64) -> Vec<Bracketed> {
        let count = |t: u64| ((t as f64 + 1e9) * (1.0 + ppm * 1e-6) / count_ns) as u64;
        (0..100_u64)
            .map(|i| i * 10_000_000 + i * i % 7000)
            .map(|t| Bracketed { before: t, value: count(t + 50), after: t + 100 })
            .collect()
    }

    #[test]
    fn faster_is_positive_whatever_a_count_is_worth() {
        for (ppm, count_ns) in [(500.0, 1.0), (-500.0, 1.0), (0.453, 0.385), (80.0, 1000.0)] {
            let scale = Scale { count_ns, ..NS };
            let rate = relative(&track(ppm, count_ns), scale, "monotonic@vdso").unwrap();
            assert!(
                rate.low_ppm <= ppm && ppm <= rate.high_ppm && rate.high_ppm - rate.low_ppm < 2.0,
                "{ppm}: {rate:?}"
            );
            assert_eq!(rate.against, "monotonic@vdso");
        }
    }

    #[test]
    fn a_clock_too_coarse_for_the_time_has_a_reason() {
        let scale = Scale { count_ns: 1e9, ..NS };
        let reason = relative(&track(0.0, 1e9), scale, "monotonic").unwrap_err();
        assert!(reason.contains("ppm open"), "{reason}");
        assert!(relative(&[], NS, "monotonic").is_err());
        let unknown = Scale { quanta: Quanta { clock: f64::NAN, by: 1.0 }, ..NS };
        assert!(relative(&track(0.0, 1.0), unknown, "monotonic").is_err());
    }
}
