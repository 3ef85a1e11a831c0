//! Long histograms cut to what the eye can take in: rare differences are folded into ranges.

use clockscope_analysis::record::DeltaRow;

/// Differences rarer than this share have no row of their own.
const RARE: f64 = 1e-4;

/// At most so many differences have a row of their own: the most frequent ones.
const MOST: usize = 40;

/// One row as it is shown: a single difference, or a range of rare ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bin {
    /// The smallest difference in it.
    pub first: DeltaRow,
    /// The largest difference in it.
    pub last: DeltaRow,
    /// How many differences it has in all.
    pub count: u64,
}

impl Bin {
    /// Whether it stands for more than one distinct difference.
    pub fn is_range(&self) -> bool {
        self.first.counts != self.last.counts
    }
}

/// Rows of at least 0.01 % of `total`, at most 40, by themselves; between them the rare ones as ranges that end at
/// powers of two. `rows` come smallest difference first and so does the result. `all`: every row by itself.
pub fn folded(rows: &[DeltaRow], total: u64, all: bool) -> Vec<Bin> {
    let mut frequent: Vec<u64> = rows.iter().map(|row| row.count).collect();
    frequent.sort_unstable_by(|a, b| b.cmp(a));
    let by_rank = frequent.get(MOST).map_or(0, |count| count + 1);
    let by_share = (total as f64 * RARE).ceil() as u64;
    let least = if all { 0 } else { by_rank.max(by_share) };

    let mut bins: Vec<Bin> = Vec::new();
    let mut open = false;
    for &row in rows {
        let rare = row.count < least;
        match bins.last_mut() {
            Some(bin) if open && rare && octave(bin.first.counts) == octave(row.counts) => {
                bin.last = row;
                bin.count += row.count;
            }
            _ => bins.push(Bin { first: row, last: row, count: row.count }),
        }
        open = rare;
    }
    bins
}

/// The power of two below a difference, negative for one that went back.
fn octave(counts: i64) -> i64 {
    counts.signum() * i64::from(counts.unsigned_abs().checked_ilog2().map_or(0, |log| log + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(counts: i64, count: u64) -> DeltaRow {
        DeltaRow { counts, time_ns: counts as f64, count }
    }

    #[test]
    fn rare_rows_are_folded_up_to_powers_of_two() {
        let rows = [row(-3, 1), row(20, 900_000), row(21, 1), row(30, 100_000), row(513, 1), row(900, 2), row(1024, 1)];
        let bins = folded(&rows, 1_000_006, false);
        let seen: Vec<_> = bins.iter().map(|bin| (bin.first.counts, bin.last.counts, bin.count)).collect();
        assert_eq!(
            seen,
            [(-3, -3, 1), (20, 20, 900_000), (21, 21, 1), (30, 30, 100_000), (513, 900, 3), (1024, 1024, 1)]
        );
    }

    #[test]
    fn nothing_is_lost_and_little_is_shown() {
        let rows: Vec<_> = (1..5000).map(|i| row(i, 1000)).collect();
        let total = rows.iter().map(|row| row.count).sum();
        let bins = folded(&rows, total, false);
        assert_eq!(bins.iter().map(|bin| bin.count).sum::<u64>(), total);
        assert!(bins.len() <= MOST + 64, "{}", bins.len());
    }
}
