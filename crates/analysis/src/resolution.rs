//! What a clock resolves, in one answer for verdict, table and findings.

use crate::record::{Clock, SampledClock, Tick};

/// A limit up to this many units of the call leaves none but the unit itself, rounding hiding what is finer.
const UNITS: f64 = 1.5;

/// The smallest difference that a clock's readings can show.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Resolution {
    /// This much, with the half width of its 95 % interval: the quantum that was measured, or the unit of the call where
    /// nothing coarser is there.
    Of {
        /// Best estimate, ns.
        ns: f64,
        /// 0 where it is the unit.
        half_width_ns: f64,
    },
    /// No more than this, ns.
    AtMost(f64),
}

impl Resolution {
    /// Of these figures; `None` where nothing is known.
    pub fn of(tick: &Tick) -> Option<Self> {
        let known = |ns: Option<f64>| ns.filter(|ns| ns.is_finite() && *ns > 0.0);
        let unit = known(tick.nominal);
        let by_unit = |ns: f64| unit.filter(|unit| ns <= *unit).map(|ns| Self::Of { ns, half_width_ns: 0.0 });
        if let Some(ns) = known(tick.quantum) {
            let end = |end: Option<f64>| known(end).map_or(0.0, |end| (end - ns).abs());
            let half_width_ns = end(tick.quantum_low).max(end(tick.quantum_high));
            return Some(by_unit(ns).unwrap_or(Self::Of { ns, half_width_ns }));
        }
        // Every step is a multiple of the quantum.
        let limit = [tick.quantum_high, tick.smallest_step].into_iter().filter_map(known).reduce(f64::min)?;
        Some(by_unit(limit / UNITS).unwrap_or(Self::AtMost(limit)))
    }

    /// What it is at most, ns.
    pub fn at_most_ns(self) -> f64 {
        match self {
            Self::Of { ns, .. } | Self::AtMost(ns) => ns,
        }
    }
}

impl Clock {
    /// What it resolves; `None` where nothing is known.
    pub fn resolution(&self) -> Option<Resolution> {
        Resolution::of(&self.tick_ns)
    }
}

impl SampledClock {
    /// What it resolves; `None` where nothing is known.
    ///
    /// Decimals of a double in the shortest form that tells it, as most languages print one, lie beside the clock's steps, by
    /// up to half the distance of two doubles: neither the last decimal nor the smallest step is a bound on the quantum there.
    pub fn resolution(&self) -> Option<Resolution> {
        let is_last_decimal = self.tick_ns.nominal != Some(self.unit_ns);
        if is_last_decimal && self.tick_ns.quantum.is_none() {
            return self.tick_ns.quantum_high.filter(|ns| ns.is_finite() && *ns > 0.0).map(Resolution::AtMost);
        }
        Resolution::of(&self.tick_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_answer_whatever_the_readings_sufficed_for() {
        let of = |unit: f64, quantum: Option<f64>, high: Option<f64>, step: Option<f64>| {
            let [nominal, smallest_step] = [Some(unit), step];
            Resolution::of(&Tick { nominal, quantum, quantum_high: high, smallest_step, ..Tick::default() })
        };
        let unit = |ns| Some(Resolution::Of { ns, half_width_ns: 0.0 });
        assert_eq!(of(1.0, Some(0.769), Some(0.7692), None), unit(1.0), "rounded to the unit of the call");
        assert_eq!(of(1.0, None, Some(1.5), Some(17.0)), unit(1.0));
        assert_eq!(of(1000.0, None, Some(1100.0), None), unit(1000.0));
        assert_eq!(of(1.0, None, Some(4.5), Some(17.0)), Some(Resolution::AtMost(4.5)));
        assert_eq!(of(1.0, None, None, Some(17.0)), Some(Resolution::AtMost(17.0)));
        assert_eq!(of(1.0, None, Some(30.0), Some(17.0)), Some(Resolution::AtMost(17.0)));
        assert_eq!(of(1e9, None, Some(2e9), Some(1e9)), unit(1e9));
        assert_eq!(of(0.385, Some(0.769), Some(0.769), None), Some(Resolution::Of { ns: 0.769, half_width_ns: 0.0 }));
        for nothing in [None, Some(f64::NAN), Some(-1.0), Some(f64::INFINITY)] {
            assert_eq!(of(1.0, nothing, nothing, nothing), None);
        }
    }
}
