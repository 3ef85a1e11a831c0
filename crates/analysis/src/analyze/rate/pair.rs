//! Two bracketed readings of one clock.

use crate::trace::Bracketed;

/// What lies between two readings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pair {
    /// Counts that the clock advanced.
    pub(super) advance: f64,
    /// Counts of the other clock in between, from middle to middle of the brackets; positive.
    pub(super) apart: f64,
    /// How far off `apart` can be: half of both brackets together.
    pub(super) half_width: f64,
}

impl Pair {
    /// `None` where the brackets overlap, or the other clock went back.
    pub(super) fn of(a: Bracketed, b: Bracketed) -> Option<Self> {
        let shortest = b.before.wrapping_sub(a.after) as i64 as f64;
        let longest = b.after.wrapping_sub(a.before) as i64 as f64;
        let apart = f64::midpoint(shortest, longest);
        let advance = b.value.wrapping_sub(a.value) as i64 as f64;
        let half_width = (longest - shortest) / 2.0;
        (shortest > 0.0 && apart > 0.0).then_some(Self { advance, apart, half_width })
    }

    /// Counts of the clock a count of the other one.
    pub(super) fn slope(&self) -> f64 {
        self.advance / self.apart
    }
}
