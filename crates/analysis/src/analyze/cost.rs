//! What one read costs.

use hdrhistogram::Histogram;

use super::stats;
use crate::record::{Cost, CostBuckets};

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

/// A read that takes longer, ns, is slow: what stands around it, 100 ns at most, is less than a thousandth of it.
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
    // Nothing costs less than nothing, whatever the noise of the differences says.
    let (low, high) = ((median - grain).min(low).max(0.0), high.max(median + grain).max(0.0));
    let per_read = |time: fn(&Pair) -> f64| {
        pairs.iter().filter(|p| p.reads > 0).map(|p| time(p) / f64::from(p.reads)).fold(f64::INFINITY, f64::min)
    };
    let min = if pairs.iter().filter(|p| p.reads > 0).all(|p| slow(&p)) {
        per_read(|p| p.once_ns)
    } else {
        per_read(|p| p.twice_ns) - per_read(|p| p.once_ns)
    };
    let median = median.max(0.0);
    // Of the shortest times one may be the luckier one.
    let min = min.clamp(0.0, median);
    Some(Cost { median, low, high, min, batches: each.len() as u64, ..Cost::default() })
}

/// Percentiles of single reads, each between two stamps of the witness: `widths` in its counts of `count_ns`, which
/// move in steps of `quantum_ns`.
///
/// A read overlaps with the stamps' fences, so that a width less that of an empty bracket is no read's cost. But a read
/// that is longer than the typical one makes its bracket as much wider: the percentile is the median cost and the
/// widths' distance from their median.
///
/// The interval is that of order statistics (binomial, docs/method/cost.md), with the histogram's bins, the median's
/// interval and a step of the witness, half for either width.
pub fn tail(cost: &mut Cost, widths: &Histogram<u64>, count_ns: f64, quantum_ns: f64) {
    let n = widths.len() as f64;
    if widths.is_empty() {
        return;
    }
    let middle = |width: u64| widths.median_equivalent(width) as f64;
    let typical = middle(widths.value_at_quantile(0.5));
    // The bin that holds the order statistic so many standard deviations from the quantile's.
    let bin = |q: f64, z: f64| {
        let rank = q * n + z * (n * q * (1.0 - q)).sqrt();
        let width = widths.value_at_quantile((rank / n).max(0.0));
        (rank + 0.5 < n).then(|| [widths.lowest_equivalent(width), widths.highest_equivalent(width)])
    };
    let off = |from: f64, to: f64| (to - from) * count_ns;
    let at = |q: f64| {
        let value = middle(widths.value_at_quantile(q));
        let end = |z: f64, side: usize, median_off: f64| {
            let [own, other] = [bin(q, z)?[side] as f64, bin(0.5, -z)?[1 - side] as f64];
            let parts = [off(value, own), off(typical, other), median_off];
            Some(parts.iter().map(|part| part * part).sum::<f64>().sqrt() + quantum_ns)
        };
        let p = cost.median + off(typical, value);
        let low = end(-stats::Z95, 0, cost.low - cost.median).map(|down| (p - down).max(cost.low));
        [Some(p), low, end(stats::Z95, 1, cost.high - cost.median).map(|up| p + up)]
    };
    let (p99, p999) = (at(0.99), at(0.999));
    [cost.p99, cost.p99_low, cost.p99_high] = p99;
    [cost.p999, cost.p999_low, cost.p999_high] = p999;
    cost.max = Some(cost.median + off(typical, widths.max() as f64));
}

/// Single reads by their cost: the median's, and as much more or less as their widths are from the typical one, in the
/// histogram's bins.
pub fn buckets(cost: &Cost, widths: &Histogram<u64>, count_ns: f64) -> CostBuckets {
    let mut found = CostBuckets::default();
    let typical = widths.median_equivalent(widths.value_at_quantile(0.5)) as f64;
    // To a thousandth of a nanosecond; nothing costs less than nothing.
    let ns = |width: f64| ((cost.median + (width - typical) * count_ns).max(0.0) * 1e3).round() / 1e3;
    for bin in widths.iter_recorded() {
        let width = bin.value_iterated_to();
        found.low_ns.push(ns(widths.lowest_equivalent(width) as f64 - 0.5));
        found.high_ns.push(ns(widths.highest_equivalent(width) as f64 + 0.5));
        found.reads.push(bin.count_at_value());
    }
    found
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
        assert_eq!((c.median, c.min), (4e6 / 3.0, 4e6 / 3.0));
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

    /// Reads of 20 ns, one in 30 longer by up to 100 ns, in brackets that hide 12 ns of each.
    #[test]
    fn the_tail_is_as_long_as_it_is_and_has_an_interval() {
        let tail_of = |reads: usize, quantum: f64| {
            let mut random = fastrand::Rng::with_seed(1);
            let mut widths = Histogram::new(2).unwrap();
            for i in 0..reads {
                let width = if i % 30 == 7 { 28.0 + 100.0 * random.f64() } else { 28.0 + random.f64() };
                let stamp = |ns: f64| (ns / quantum).floor() * quantum;
                let at = 1e6 * random.f64();
                widths.record(((stamp(at + width) - stamp(at)) * 2.6) as u64).unwrap();
            }
            let mut cost = cost(&pairs(20.0, |_| 0.0), quantum).unwrap();
            tail(&mut cost, &widths, 1.0 / 2.6, quantum);
            cost
        };
        // 99 of 100 are shorter than all but 30 % of the long ones.
        let truth = 20.0 + 69.5;
        for (reads, quantum) in [(3000, 0.385), (100_000, 0.385), (100_000, 10.0)] {
            let c = tail_of(reads, quantum);
            let [low, p99, high] = [c.p99_low, c.p99, c.p99_high].map(Option::unwrap);
            assert!(low <= truth && truth <= high && low < p99 && p99 < high && high - low < 40.0, "{c:?}");
            assert!(c.p999 > c.p99 && c.max >= c.p999, "{c:?}");
        }
        let few = tail_of(50, 0.385);
        assert!(few.p99.is_some() && few.p99_high.is_none(), "{few:?}");
        assert_eq!(tail_of(0, 10.0).p99, None);
        // All alike: no longer tail than the witness can't see.
        let mut alike = cost(&pairs(20.0, |_| 0.0), 10.0).unwrap();
        let mut widths = Histogram::new(2).unwrap();
        widths.record_n(78, 1000).unwrap();
        tail(&mut alike, &widths, 1.0 / 2.6, 10.0);
        assert_eq!(alike.p99, Some(20.0));
        assert!((30.0..30.1).contains(&alike.p99_high.unwrap()), "{alike:?}");
    }

    #[test]
    fn buckets_lie_around_the_median_and_hold_every_read() {
        let mut widths = Histogram::new(2).unwrap();
        for (width, times) in [(70, 3), (78, 1000), (79, 20), (10_078, 2)] {
            widths.record_n(width, times).unwrap();
        }
        let cost = cost(&pairs(20.0, |_| 0.0), 10.0).unwrap();
        let found = buckets(&cost, &widths, 0.5);
        assert_eq!(found.reads, [3, 1000, 20, 2]);
        assert_eq!((found.low_ns[1], found.high_ns[1], found.low_ns[0]), (19.75, 20.25, 15.75));
        assert!(found.low_ns[3] < 5020.0 && 5020.0 < found.high_ns[3] && found.high_ns[3] - found.low_ns[3] < 51.0);
        assert_eq!(buckets(&cost, &Histogram::new(2).unwrap(), 0.5), CostBuckets::default());
    }

    proptest! {
        /// One batch in five disturbed by up to 4 ms, on either side: the median stays within 2 %.
        #[test]
        fn disturbed_batches_do_not_move_it(cost_ns in 1.0..5000.0_f64, seed: u64) {
            let noise = move |i: usize| {
                let mut random = fastrand::Rng::with_seed(seed ^ i as u64);
                let jitter = random.f64() * cost_ns;
                if random.u8(..5) == 0 { jitter + 4e6 * random.f64() } else { jitter }
            };
            let c = cost(&pairs(cost_ns, noise), 10.0).unwrap();
            prop_assert!((c.median / cost_ns - 1.0).abs() < 0.02, "{c:?}");
            prop_assert!((c.min / cost_ns - 1.0).abs() < 0.02, "{c:?}");
            prop_assert!(0.0 <= c.low && c.low <= c.median && c.median <= c.high);
        }

        /// Batches of pure noise, as of a read in a bracket that is interrupted every time.
        #[test]
        fn no_cost_is_less_than_nothing(times in proptest::collection::vec((0.0..1e6_f64, 0.0..1e6_f64), 1..50)) {
            let pairs: Vec<Pair> = times.iter().map(|t| Pair { reads: 10, once_ns: t.0, twice_ns: t.1 }).collect();
            let c = cost(&pairs, 10.0).unwrap();
            prop_assert!(0.0 <= c.low && c.low <= c.median && c.median <= c.high && c.min >= 0.0, "{c:?}");
        }
    }
}
