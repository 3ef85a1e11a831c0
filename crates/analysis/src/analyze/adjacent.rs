//! Differences of adjacent reads, of as many as tell their shape.

use std::collections::BTreeMap;

use crate::record::DifferenceCounts;

/// Of a row so many at most, so that no row outweighs the others.
const OF_ROW: usize = 64;
/// And of a run so many.
const OF_RUN: u64 = 65_536;
/// Different ones that are told apart.
const DIFFERENT: usize = 512;

/// How often each difference was seen.
#[derive(Debug, Clone, Default)]
pub(super) struct Adjacent {
    times: BTreeMap<i64, u64>,
    others: u64,
    all: u64,
}

impl Adjacent {
    /// Reads in a row.
    pub(super) fn row(&mut self, values: &[u64]) {
        for pair in values.windows(2).take(OF_ROW) {
            if self.all >= OF_RUN {
                return;
            }
            self.all += 1;
            let step = pair[1].wrapping_sub(pair[0]) as i64;
            if let Some(times) = self.times.get_mut(&step) {
                *times += 1;
            } else if self.times.len() < DIFFERENT {
                self.times.insert(step, 1);
            } else {
                self.others += 1;
            }
        }
    }

    /// As the record has it.
    pub(super) fn state(&self, count_ns: f64) -> DifferenceCounts {
        let (counts, times) = self.times.iter().map(|(step, times)| (*step, *times)).unzip();
        DifferenceCounts { count_ns, counts, times, others: self.others }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_adds_as_much_as_it_may_and_no_more() {
        let mut seen = Adjacent::default();
        seen.row(&[10, 12, 12, 9]);
        seen.row(&(0..1000).map(|i| i * 2).collect::<Vec<u64>>());
        seen.row(&[u64::MAX, 1]);
        seen.row(&[]);
        let found = seen.state(0.5);
        assert_eq!((found.counts, found.times), (vec![-3, 0, 2], vec![1, 1, 66]));
        assert_eq!((found.count_ns, found.others), (0.5, 0));
    }

    #[test]
    fn a_clock_of_garbage_stays_within_bounds() {
        let mut seen = Adjacent::default();
        for row in 0..3000_u64 {
            seen.row(&(0..100).map(|i| (row * 100 + i).pow(2)).collect::<Vec<u64>>());
        }
        let found = seen.state(1.0);
        assert_eq!(found.counts.len(), DIFFERENT);
        assert_eq!(found.times.iter().sum::<u64>() + found.others, OF_RUN);
    }
}
