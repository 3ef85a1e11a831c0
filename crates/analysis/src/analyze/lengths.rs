//! Lengths of time by the thousand or the billion, in bounded memory.

use hdrhistogram::Histogram;

use super::stats::{Z95, carries};
use crate::record::Interval;

/// The longest that is told from longer ones, ns: thirteen days.
const LONGEST: u64 = 1 << 50;

/// Lengths, ns.
#[derive(Debug, Clone)]
pub(super) struct Lengths(Histogram<u64>);

impl Default for Lengths {
    fn default() -> Self {
        Self::of(3)
    }
}

impl Lengths {
    /// In a tenth of the room: the bins are up to a hundredth of a length wide, and a thousandth else.
    pub(super) fn coarse() -> Self {
        Self::of(2)
    }

    fn of(digits: u8) -> Self {
        Self(Histogram::new(digits).expect("the crate takes 0 to 5 digits"))
    }

    /// One more; less than nothing counts as nothing.
    pub(super) fn take(&mut self, ns: f64) {
        let recorded = self.0.record((ns.round() as u64).min(LONGEST));
        debug_assert!(recorded.is_ok(), "the histogram grows");
    }

    /// How many.
    pub(super) fn len(&self) -> u64 {
        self.0.len()
    }

    /// Each length, ns, as finely as the bins tell it, and how often it was.
    pub(super) fn each(&self) -> impl Iterator<Item = (f64, u64)> {
        let bins = self.0.iter_recorded();
        bins.map(|bin| (self.0.median_equivalent(bin.value_iterated_to()) as f64, bin.count_at_value()))
    }

    /// A quantile with the 95 % interval of order statistics: the ranks within which it lies with that probability, by the normal
    /// approximation of the binomial (David and Nagaraja, Order Statistics, 7.1). `None` where there are too few to tell it from
    /// the extreme.
    pub(super) fn quantile(&self, q: f64) -> Option<Interval> {
        if !carries(self.0.len(), q) {
            return None;
        }
        let n = self.0.len() as f64;
        let half = Z95 * (q * (1.0 - q) / n).sqrt();
        let at = |q: f64| self.0.value_at_quantile(q.clamp(0.0, 1.0));
        let (value, low, high) = (at(q), at(q - half), at(q + half));
        // As wide as the bins are, at least.
        let (low, high) = (self.0.lowest_equivalent(low), self.0.highest_equivalent(high));
        let value = self.0.median_equivalent(value);
        Some(Interval { value: value as f64, low: low as f64, high: high as f64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_hold_what_was_taken_and_a_bin_at_least() {
        let mut lengths = Lengths::default();
        assert_eq!(lengths.quantile(0.5), None);
        (1..=1001).for_each(|us| lengths.take(f64::from(us) * 1e3));
        let Interval { value, low, high } = lengths.quantile(0.5).unwrap();
        assert!((value - 501e3).abs() <= 501.0, "{value}");
        // 500.5 ± 1.96 · √1001 / 2.
        assert!((low - 470e3).abs() <= 2e3 && (high - 532e3).abs() <= 2e3, "{low} {high}");
        lengths.take(f64::INFINITY);
        lengths.take(f64::NAN);
        assert_eq!(lengths.len(), 1003);
    }

    #[test]
    fn a_percentile_takes_so_many_that_one_lies_beyond_it() {
        for (n, q, told) in
            [(1, 0.5, true), (99, 0.99, false), (100, 0.99, true), (999, 0.999, false), (1000, 0.999, true)]
        {
            let mut lengths = Lengths::default();
            (0..n).for_each(|us| lengths.take(f64::from(us) * 1e3));
            assert_eq!(lengths.quantile(q).is_some(), told, "{n} {q}");
        }
    }
}
