//! What one read costs.

use super::stats;
use crate::record::Cost;

/// One pair of batches: how long n and 2n reads in a row took, ns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// n.
    pub reads: u32,
    /// Time of n reads, ns.
    pub once_ns: f64,
    /// Time of 2n reads, ns.
    pub twice_ns: f64,
}

/// A read that takes longer, ns, is slow.
pub const SLOW_NS: f64 = 100_000.0;
/// How far the median of the differences of two times can lie off their mean by the timer's steps alone, in steps: each
/// time is rounded to one of two neighbours, with the chance that makes the mean right. Of the difference of two such,
/// median and mean are farthest apart, by 2 − √2, where each chance is √½.
const TIMER_STEPS: f64 = 2.0 - std::f64::consts::SQRT_2;

/// Cost from pairs of batches: loop and stamps cancel in (T(2n) − T(n)) / n. `None` without any pair.
///
/// The median takes an outlier on either side; `min` is the difference of the two shortest times instead, for
/// the smallest difference is the one whose T(n) was disturbed.
///
/// Of a read as slow as 0.1 ms loop and stamps are less than a thousandth, and it may vary by more than its
/// length: there all reads of a pair are averaged, so that few pairs will do and no difference falls below zero.
///
/// Pairs come in the order of time: the interval takes into account that neighbours are alike where the CPU's
/// frequency wanders. Times come in steps of `timer_quantum_ns`, so that all differences may fall on one step: the
/// interval is 2 − √2 of a step over n reads wide at least, on either side.
pub fn cost(pairs: &[Pair], timer_quantum_ns: f64) -> Option<Cost> {
    let slow = |p: &&Pair| p.once_ns / f64::from(p.reads) > SLOW_NS;
    let by_pair = |p: &Pair| {
        let reads = f64::from(p.reads);
        if slow(&p) { (p.once_ns + p.twice_ns) / (3.0 * reads) } else { (p.twice_ns - p.once_ns) / reads }
    };
    let each: Vec<f64> = pairs.iter().filter(|p| p.reads > 0).map(by_pair).collect();
    let (median, low, high) = stats::median_in_time(&each)?;
    let most_reads = pairs.iter().map(|p| p.reads).max().unwrap_or(1).max(1);
    let grain = TIMER_STEPS * timer_quantum_ns / f64::from(most_reads);
    let (low, high) = (low.min(median - grain), high.max(median + grain));
    let per_read = |time: fn(&Pair) -> f64| {
        pairs
            .iter()
            .filter(|p| p.reads > 0)
            .map(|p| time(p) / f64::from(p.reads))
            .fold(f64::INFINITY, f64::min)
    };
    let min = if pairs.iter().filter(|p| p.reads > 0).all(|p| slow(&p)) {
        per_read(|p| p.once_ns)
    } else {
        per_read(|p| p.twice_ns) - per_read(|p| p.once_ns)
    };
    Some(Cost { median, low, high, min, p99: None, p999: None, max: None, batches: each.len() as u64 })
}

/// Percentiles of single reads: how much wider than an empty bracket each bracket with a read was, ns.
pub const DIGITS: u8 = 2;
pub fn tail(cost: &mut Cost, widths: &hdrhistogram::Histogram<u64>, count_ns: f64) {
    let empty_ns = 0.0;
    if widths.is_empty() {
        return;
    }
    // The stamps overlap with the read, so that an undisturbed read may seem to cost less than it does in a row.
    let least = cost.median;
    let at = |q: f64| Some((widths.value_at_quantile(q) as f64 * count_ns - empty_ns).max(least));
    cost.p99 = at(0.99);
    cost.p999 = at(0.999);
    cost.max = at(1.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pairs(cost: f64, noise: impl Fn(usize) -> f64) -> Vec<Pair> {
        (0..400)
            .map(|i| Pair {
                reads: 100,
                once_ns: 40.0 + 100.0 * cost + noise(2 * i),
                twice_ns: 40.0 + 200.0 * cost + noise(2 * i + 1),
            })
            .collect()
    }

    /// A date-and-time chip that is asked while it updates itself waits for a millisecond, now and then.
    #[test]
    fn a_slow_and_fickle_read_costs_no_less_than_nothing() {
        let pair = |once_ns, twice_ns| Pair { reads: 1, once_ns, twice_ns };
        let c = cost(&[pair(2.9e6, 1.1e6)], 10.0).unwrap();
        assert_eq!((c.median, c.min), (4e6 / 3.0, 2.9e6));
        let c = cost(&[pair(0.5e6, 2.0e6), pair(1.5e6, 1.0e6), pair(0.5e6, 1.0e6)], 10.0).unwrap();
        assert_eq!((c.median, c.min), (2.5e6 / 3.0, 0.5e6));
    }

    #[test]
    fn the_bracket_cancels() {
        let c = cost(&pairs(22.5, |_| 0.0), 10.0).unwrap();
        assert!((c.median - 22.5).abs() < 1e-9 && (c.min - 22.5).abs() < 1e-9 && c.batches == 400);
    }

    #[test]
    fn nothing_in_nothing_out() {
        assert_eq!(cost(&[], 10.0), None);
        assert_eq!(cost(&[Pair { reads: 0, once_ns: 1.0, twice_ns: 2.0 }], 10.0), None);
    }

    proptest! {
        /// One batch in five disturbed by up to 4 ms, on either side: the median stays within 2 %.
        #[test]
        fn disturbed_batches_do_not_move_it(cost_ns in 1.0..5000.0_f64, seed: u64) {
            let noise = move |i: usize| {
                let h = (i as u64 ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31).wrapping_mul(0xBF58_476D_1CE4_E5B9);
                let jitter = (h >> 40) as f64 / f64::from(1_u32 << 24) * cost_ns;
                if h.is_multiple_of(5) { jitter + (h >> 42) as f64 } else { jitter }
            };
            let c = cost(&pairs(cost_ns, noise), 10.0).unwrap();
            prop_assert!((c.median / cost_ns - 1.0).abs() < 0.02, "{c:?}");
            prop_assert!((c.min / cost_ns - 1.0).abs() < 0.02, "{c:?}");
            prop_assert!(c.low <= c.median && c.median <= c.high);
        }
    }
}
