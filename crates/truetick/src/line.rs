//! One segment of the clock: a line from ticks to nanoseconds, valid on `[start, start + len)`.

/// Fraction bits of [`Line::mult`].
pub(crate) const SHIFT: u32 = 32;
/// The longest a line may reach, ns: the product in [`Line::at`] then stays below 2^63.
pub(crate) const MAX_NS: u64 = 1 << 30;

/// The longest that a line is used, ns, unless the caller says otherwise.
pub(crate) const PERIOD_NS: u64 = 2_000_000;

/// A line. Its values never decrease along its range, and [`Line::last`] is at least each of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line {
    /// First tick that it is valid for.
    pub(crate) start: u64,
    /// Ticks that it is valid for.
    pub(crate) len: u64,
    /// Its value at `start`, ns.
    pub(crate) base: u64,
    /// Nanoseconds a tick, times 2^[`SHIFT`].
    pub(crate) mult: u64,
}

impl Line {
    /// The line from (`start`, `base`) with `slope` ns a tick that reaches `ns` nanoseconds (at most [`MAX_NS`]), or to where the
    /// counter's lower half wraps: on a line the upper half is always the same, and a reading need only compare it.
    /// `None` where the slope is not that of any counter (1 kHz to 1 THz).
    pub(crate) fn new(start: u64, base: u64, slope: f64, ns: u64) -> Option<Self> {
        // Also refuses NaN.
        if !(1e-3..=1e6).contains(&slope) {
            return None;
        }
        let mult = (slope * (1u64 << SHIFT) as f64 + 0.5) as u64;
        let len = ((ns.min(MAX_NS) as f64 / slope) as u64).clamp(1, (1 << 32) - (start & 0xffff_ffff));
        Some(Self { start, len, base, mult })
    }

    /// The time at `ticks`, ns; `None` outside the line's range. The counter's wrap at 2^64 is harmless.
    pub(crate) const fn at(&self, ticks: u64) -> Option<u64> {
        let run = ticks.wrapping_sub(self.start);
        if run < self.len { Some(self.value(run)) } else { None }
    }

    /// Whether it ends where the counter's lower half wraps.
    pub(crate) const fn is_cut(&self) -> bool {
        self.start.wrapping_add(self.len).trailing_zeros() >= 32
    }

    /// No value of this line exceeds it.
    pub(crate) const fn last(&self) -> u64 {
        self.value(self.len)
    }

    const fn value(&self, run: u64) -> u64 {
        self.base.wrapping_add(run.wrapping_mul(self.mult) >> SHIFT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        #[cfg_attr(miri, ignore = "arithmetic only, and slow there")]
        fn values_rise_up_to_the_last_and_lie_on_the_line(
            start: u64, base in 0u64..1 << 62, hz in 1e3f64..1e12, ns in 1u64..2 * MAX_NS,
            a in 0f64..1.0, b in 0f64..1.0,
        ) {
            let slope = 1e9 / hz;
            let line = Line::new(start, base, slope, ns).unwrap();
            let (a, b) = if a <= b { (a, b) } else { (b, a) };
            let (ra, rb) = ((line.len as f64 * a) as u64, (line.len as f64 * b) as u64);
            let at = |r: u64| line.at(start.wrapping_add(r.min(line.len - 1))).unwrap();
            prop_assert!(base <= at(ra) && at(ra) <= at(rb) && at(rb) <= line.last());
            let exact = ra.min(line.len - 1) as f64 * slope;
            // Rounding: of the value, and of the slope to a step of 2^-32.
            let rounding = 1.5 + exact * (0.5 / (1u64 << SHIFT) as f64) / slope;
            prop_assert!(((at(ra) - base) as f64 - exact).abs() <= rounding);
            prop_assert_eq!(line.at(start.wrapping_add(line.len)), None);
            prop_assert_eq!(line.at(start.wrapping_sub(1)), None);
        }
    }

    #[test]
    fn no_line_without_a_sound_slope() {
        for slope in [f64::NAN, f64::INFINITY, 0.0, -1.0, 1e-4, 1e7] {
            assert_eq!(Line::new(0, 0, slope, 1000), None);
        }
    }

    #[test]
    fn ends_where_the_counters_lower_half_wraps() {
        for start in [u64::MAX - 10, (7 << 32) - 11] {
            let line = Line::new(start, 500, 2.0, 1000).unwrap();
            assert_eq!((line.at(start), line.at(start + 10), line.last()), (Some(500), Some(520), 522));
            assert_eq!(line.at(start.wrapping_add(11)), None);
        }
    }
}
