//! The histogram of one clock's adjacent differences.

use std::collections::BTreeMap;

use crate::record::DeltaRow;

/// Distinct differences that get a row of their own.
const MOST_ROWS: usize = 65_536;

/// Differences as they are counted.
#[derive(Debug, Clone, Default)]
pub(super) struct Differences {
    rows: BTreeMap<i64, u64>,
    others: u64,
    others_ahead: u64,
    longest_other: i64,
    others_sum: f64,
    failed: u64,
}

/// What was counted.
pub(super) struct Counted {
    pub(super) rows: Vec<DeltaRow>,
    pub(super) differences: u64,
    pub(super) others: u64,
    pub(super) failed: u64,
    /// Smallest, mean, median and longest of the positive differences, ns.
    pub(super) ahead: [Option<f64>; 4],
}

impl Differences {
    /// Consecutive readings; between two calls the reader did other things.
    pub(super) fn row(&mut self, values: &[u64], failed: u64) {
        self.failed = self.failed.saturating_add(failed);
        for pair in values.windows(2) {
            self.add(pair[1].wrapping_sub(pair[0]) as i64);
        }
    }

    fn add(&mut self, step: i64) {
        if let Some(count) = self.rows.get_mut(&step) {
            *count += 1;
        } else if self.rows.len() < MOST_ROWS {
            self.rows.insert(step, 1);
        } else {
            self.others += 1;
            if step > 0 {
                self.others_ahead += 1;
                self.others_sum += step as f64;
                self.longest_other = self.longest_other.max(step);
            }
        }
    }

    /// The counts, `count_ns` being what a count of the clock is worth.
    pub(super) fn counted(&self, count_ns: f64) -> Counted {
        let ahead = || self.rows.range(1..);
        let positive = ahead().map(|(_, count)| count).sum::<u64>() + self.others_ahead;
        let sum = ahead().map(|(step, count)| *step as f64 * *count as f64).sum::<f64>() + self.others_sum;
        let mut below = 0;
        // Rows beyond the limit are long ones as a rule; the median lies in the rows.
        let median = ahead().find(|(_, count)| {
            below += **count;
            below * 2 >= positive
        });
        let longest = ahead().next_back().map_or(0, |(step, _)| *step).max(self.longest_other);
        let ns = |step: i64| step as f64 * count_ns;
        let smallest = ahead().next().map(|(step, _)| *step);
        Counted {
            rows: self
                .rows
                .iter()
                .map(|(step, count)| DeltaRow { counts: *step, time_ns: ns(*step), count: *count })
                .collect(),
            differences: self.rows.values().sum::<u64>() + self.others,
            others: self.others,
            failed: self.failed,
            ahead: [
                smallest.map(ns),
                (positive > 0).then(|| sum / positive as f64 * count_ns),
                median.map(|(step, _)| ns(*step)),
                (longest > 0).then(|| ns(longest)),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_counted_within_rows() {
        let mut seen = Differences::default();
        for row in [&[10, 10, 30][..], &[30, 50, 45, 1045], &[999_999]] {
            seen.row(row, 0);
        }
        let counted = seen.counted(2.0);
        let rows: Vec<(i64, u64)> = counted.rows.iter().map(|r| (r.counts, r.count)).collect();
        assert_eq!(rows, [(-5, 1), (0, 1), (20, 2), (1000, 1)]);
        assert_eq!((counted.differences, counted.others), (5, 0));
        assert_eq!(counted.ahead, [40.0, 2.0 * 1040.0 / 3.0, 40.0, 2000.0].map(Some));
    }

    #[test]
    fn nothing_read_is_nothing_claimed() {
        let counted = Differences::default().counted(1.0);
        assert_eq!((counted.differences, counted.ahead), (0, [None; 4]));
    }

    #[test]
    fn a_clock_of_garbage_stays_within_bounds() {
        let mut seen = Differences::default();
        for i in 0..200_000_i64 {
            seen.add(if i % 3 == 0 { -i * 7 } else { i * 7 + 1 });
        }
        let counted = seen.counted(1.0);
        assert_eq!((counted.rows.len(), counted.differences), (MOST_ROWS, 200_000));
        assert_eq!(counted.ahead[3], Some(1_399_994.0));
    }
}
