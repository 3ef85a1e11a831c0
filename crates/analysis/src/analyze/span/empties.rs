//! Pairs with nothing in between.

use std::collections::BTreeMap;

use crate::record::EmptyPairs;
use crate::trace::Empties;

/// Distinct differences that are kept.
const MOST: usize = 1 << 16;

/// What was counted of one clock, on one CPU or wherever the scheduler put it.
#[derive(Debug, Clone, Default)]
pub(super) struct Counted {
    counts: BTreeMap<i64, u64>,
    longest: Option<(i64, Option<String>)>,
    pub(super) failed: u64,
}

impl Counted {
    pub(super) fn take(&mut self, lot: &Empties) {
        self.failed = self.failed.saturating_add(lot.failed);
        for &(difference, times) in &lot.counts {
            // Beyond the limit, with the next shorter one that has a place.
            let place = if self.counts.len() < MOST || self.counts.contains_key(&difference) {
                difference
            } else {
                self.counts.range(..=difference).next_back().map_or(difference, |(near, _)| *near)
            };
            let held = self.counts.entry(place).or_default();
            *held = held.saturating_add(times);
        }
        let longest = lot.counts.iter().filter(|(_, times)| *times > 0).map(|(difference, _)| *difference).max();
        if let Some(longest) = longest
            && self.longest.as_ref().is_none_or(|(before, _)| longest > *before)
        {
            self.longest = Some((longest, lot.cause.clone()));
        }
    }

    /// `None`: there are none.
    pub(super) fn pairs(&self, pinned: bool, count_ns: f64) -> Option<EmptyPairs> {
        let pairs = self.counts.values().fold(0_u64, |sum, times| sum.saturating_add(*times));
        let (longest, longest_cause) = self.longest.clone()?;
        let mean_of = |value: &dyn Fn(f64) -> f64| {
            let sum: f64 =
                self.counts.iter().map(|(difference, times)| value(*difference as f64) * *times as f64).sum();
            sum / pairs as f64
        };
        let mean_counts = mean_of(&|difference| difference);
        let sd_counts = mean_of(&|difference| (difference - mean_counts) * (difference - mean_counts)).sqrt();
        let quantile = |share: f64| {
            let (rank, mut below) = ((share * pairs as f64).ceil().max(1.0) as u64, 0);
            let found = self.counts.iter().find(|(_, times)| {
                below = u64::saturating_add(below, **times);
                below >= rank
            });
            found.map_or(0.0, |(difference, _)| *difference as f64 * count_ns)
        };
        Some(EmptyPairs {
            pinned,
            pairs,
            zero_share: self.counts.get(&0).copied().unwrap_or(0) as f64 / pairs as f64,
            mean_counts,
            sd_counts,
            mean_ns: mean_counts * count_ns,
            sd_ns: sd_counts * count_ns,
            median_ns: quantile(0.5),
            p99_ns: quantile(0.99),
            p999_ns: quantile(0.999),
            longest_ns: longest as f64 * count_ns,
            longest_cause,
        })
    }
}
