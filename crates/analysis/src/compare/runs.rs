//! Several runs a side: the test of Mann and Whitney (1947), and Hodges' and Lehmann's (1963) estimate with its interval.

use super::chance::above;
use super::{Effect, Least};

/// Up to so many runs in all the test counts every way of dealing them out to the sides.
const COUNTED: usize = 40;
/// What a 95 % interval leaves out on a side.
const OUTSIDE: f64 = 0.025;

/// The shift between two groups: the median of all differences; its 95 % interval, without bounds where there are too few
/// runs for one; and how often one as large comes where the truth differs by `least` at most. `None` of an empty group.
pub(super) fn shift(before: &[f64], after: &[f64], least: f64) -> Option<Effect> {
    let mut differences: Vec<f64> = after.iter().flat_map(|b| before.iter().map(move |a| b - a)).collect();
    differences.sort_unstable_by(f64::total_cmp);
    let (n, middle) = (differences.len(), differences.len() / 2);
    let upper = *differences.get(middle)?;
    let value = if n % 2 == 1 { upper } else { f64::midpoint(differences[middle - 1], upper) };
    // Bauer (1972): as many differences are left out on a side as the statistic falls below in 2.5 of 100 cases.
    let outside = outside(before.len(), after.len());
    let (low, high) = outside.map_or((f64::NEG_INFINITY, f64::INFINITY), |k| (differences[k], differences[n - 1 - k]));
    Some(Effect { value, low, high, p: Some(test(before, after, value, least)) })
}

/// How often the groups come to lie as far apart, where the second is shifted against the first by `least` in the direction
/// of `value`.
pub(super) fn test(before: &[f64], after: &[f64], value: f64, least: f64) -> f64 {
    if value.abs() <= least {
        return 1.0;
    }
    // What is higher of the two stands second.
    let (low, high) = if value > 0.0 { (before, after) } else { (after, before) };
    let high: Vec<f64> = high.iter().map(|value| value - least).collect();
    (2.0 * by_chance(low, &high)).min(1.0)
}

/// Whether so many runs on the sides can come to a p of `share` or less, as they do where all of one side are above all of
/// the other.
pub(super) fn can_tell(n: usize, m: usize, share: f64) -> bool {
    2.0 / ways(n, m) <= share
}

/// How many runs a side that takes.
pub(super) fn needed(share: f64) -> usize {
    (1..COUNTED / 2).find(|n| can_tell(*n, *n, share)).unwrap_or(COUNTED / 2)
}

/// In how many ways `n + m` runs can be dealt out.
fn ways(n: usize, m: usize) -> f64 {
    (1..=m).fold(1.0, |ways, i| ways * (n + i) as f64 / i as f64)
}

/// Twice the mean ranks of the values, in the order of `low` and then `high`, equal ones sharing theirs: whole numbers.
fn ranks(low: &[f64], high: &[f64]) -> Vec<usize> {
    let all: Vec<f64> = low.iter().chain(high).copied().collect();
    let rank = |value: &f64| {
        let below = all.iter().filter(|other| *other < value).count();
        let equal = all.iter().filter(|other| *other == value).count();
        2 * below + equal + 1
    };
    all.iter().map(rank).collect()
}

/// The share of all ways to deal the values out in which the second group's ranks come to as much or more.
fn by_chance(low: &[f64], high: &[f64]) -> f64 {
    let (n, m) = (low.len(), high.len());
    if n == 0 || m == 0 {
        return 1.0;
    }
    let ranks = ranks(low, high);
    let sum: usize = ranks[n..].iter().sum();
    if n + m > COUNTED {
        return by_normal(&ranks, n, m, sum as f64);
    }
    let counted = dealt(&ranks, m);
    let beyond: f64 = counted.iter().skip(sum).sum();
    (beyond / counted.iter().sum::<f64>()).min(1.0)
}

/// In how many ways `m` of the ranks come to each sum.
fn dealt(ranks: &[usize], m: usize) -> Vec<f64> {
    let most: usize = ranks.iter().sum();
    let mut ways = vec![vec![0.0; most + 1]; m + 1];
    ways[0][0] = 1.0;
    for rank in ranks {
        for taken in (1..=m).rev() {
            let (fewer, these) = ways.split_at_mut(taken);
            for (with, without) in these[0][*rank..].iter_mut().zip(&fewer[taken - 1]) {
                *with += without;
            }
        }
    }
    ways.pop().unwrap_or_default()
}

/// The same by the normal distribution, with the variance that ties leave and a correction of half a step.
fn by_normal(ranks: &[usize], n: usize, m: usize, sum: f64) -> f64 {
    let (n, m) = (n as f64, m as f64);
    let mean = ranks.iter().sum::<usize>() as f64 / (n + m);
    let squares: f64 = ranks.iter().map(|rank| (*rank as f64 - mean) * (*rank as f64 - mean)).sum();
    let variance = n * m / ((n + m) * (n + m - 1.0)) * squares;
    // Ranks are doubled, and so is a step.
    if variance > 0.0 { above((sum - m * mean - 1.0) / variance.sqrt()) } else { 1.0 }
}

/// How many of the differences an interval leaves out on a side; `None` where none may be, as even the widest leaves out too
/// much of the truth.
fn outside(n: usize, m: usize) -> Option<usize> {
    if n + m > COUNTED {
        let (n, m) = (n as f64, m as f64);
        let sd = (n * m * (n + m + 1.0) / 12.0).sqrt();
        return Some((n * m / 2.0 - 1.959_964 * sd - 0.5).max(0.0) as usize);
    }
    let counted = dealt(&(1..=n + m).collect::<Vec<_>>(), m);
    let (all, least) = (counted.iter().sum::<f64>(), m * (m + 1) / 2);
    let mut below = 0.0;
    let within = counted.iter().skip(least).take_while(|ways| {
        below += **ways;
        below / all <= OUTSIDE
    });
    within.count().checked_sub(1)
}

/// The shift of rates of faults: tested by each run's own rate, of no interval.
pub(super) fn faults(before: &[(u64, u64)], after: &[(u64, u64)], least: Least) -> Option<Effect> {
    let rates = |side: &[(u64, u64)]| -> Vec<f64> {
        side.iter().filter(|(_, reads)| *reads > 0).map(|(faults, reads)| *faults as f64 / *reads as f64).collect()
    };
    let pooled = |side: &[(u64, u64)]| {
        let (faults, reads) = side.iter().fold((0.0, 0.0), |(k, n), side| (k + side.0 as f64, n + side.1 as f64));
        (reads > 0.0).then(|| libm::log(faults / reads))
    };
    let value = pooled(after)? - pooled(before)?;
    if value.is_nan() {
        return None;
    }
    // Rates may be 0, so that the least effect is taken out of them and not out of their logarithms.
    let less = |side: Vec<f64>, by: bool| -> Vec<f64> {
        side.into_iter().map(|rate| if by { rate * libm::exp(-least.log) } else { rate }).collect()
    };
    let (before, after) = (less(rates(before), value < 0.0), less(rates(after), value > 0.0));
    let p = if value.abs() <= least.log { 1.0 } else { test(&before, &after, value, 0.0) };
    Some(Effect { value, low: f64::NEG_INFINITY, high: f64::INFINITY, p: Some(p) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hollander and Wolfe's permeabilities of membranes, as R's help of wilcox.test has them: W = 35, p = 0.2544 on both
    /// sides, and the median of the differences.
    #[test]
    fn known_cases_come_to_what_is_published() {
        let term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
        let weeks = [1.15, 0.88, 0.90, 0.74, 1.21];
        let effect = shift(&term, &weeks, 0.0).unwrap();
        assert!((effect.p.unwrap() - 0.254_412_254).abs() < 1e-9, "{effect:?}");
        assert!((effect.value + 0.305).abs() < 1e-12, "{effect:?}");
        // The 9th from either end of the 50 differences.
        assert!((effect.low + 0.76).abs() < 1e-12 && (effect.high - 0.15).abs() < 1e-12, "{effect:?}");
        // scipy 1.17: mannwhitneyu(x, y, method="exact"); the interval leaves out two of 25 differences a side.
        let (x, y) = ([10.1, 10.4, 9.9, 10.2, 10.6], [10.9, 11.2, 10.3, 11.0, 11.4]);
        let effect = shift(&x, &y, 0.0).unwrap();
        assert!((effect.p.unwrap() - 0.031_746_031_746).abs() < 1e-9, "{effect:?}");
        for (found, wanted) in [(effect.value, 0.8), (effect.low, 0.1), (effect.high, 1.3)] {
            assert!((found - wanted).abs() < 1e-9, "{effect:?}");
        }
    }

    #[test]
    fn ties_count_as_they_fall_and_many_runs_go_by_the_normal_distribution() {
        // All 252 ways dealt out, by itertools.combinations.
        let p = test(&[1.0, 2.0, 2.0, 3.0, 3.0], &[2.0, 3.0, 3.0, 4.0, 5.0], 1.0, 0.0);
        assert!((p - 0.190_476_190_476).abs() < 1e-9, "{p}");
        // scipy: method="asymptotic".
        let from = |start: f64| (0..30).map(|i| start + f64::from(i)).collect::<Vec<f64>>();
        let p = test(&from(0.25), &from(6.5), 6.25, 0.0);
        assert!((p - 0.010_314_672_402).abs() < 1e-9, "{p}");
        assert_eq!(test(&[1.0; 40], &[1.0; 40], 1.0, 0.0), 1.0);
    }

    #[test]
    fn few_runs_have_no_interval_and_a_shift_within_the_least_is_none() {
        let effect = shift(&[1.0, 2.0, 3.0], &[11.0, 12.0, 13.0], 0.0).unwrap();
        assert_eq!((effect.low, effect.high), (f64::NEG_INFINITY, f64::INFINITY));
        assert!((effect.p.unwrap() - 0.1).abs() < 1e-12);
        let four = shift(&[1.0, 2.0, 3.0, 4.0], &[11.0, 12.0, 13.0, 14.0], 0.0).unwrap();
        assert_eq!((four.low, four.high), (7.0, 13.0));
        assert_eq!(shift(&[1.0], &[1.01], 0.02).unwrap().p, Some(1.0));
        assert_eq!(shift(&[], &[1.0], 0.0), None);
        // 2 of 252 ways at 5 a side, 2 of 70 at 4.
        assert_eq!((needed(0.05), needed(0.01), needed(0.05 / 40.0)), (4, 5, 7));
        // 2 of 1771 ways at 3 and 20.
        assert!(can_tell(3, 20, 0.0025) && !can_tell(3, 5, 0.0025) && !can_tell(1, 1, 0.05));
    }

    #[test]
    fn faults_go_by_each_runs_own_rate() {
        let runs = |count: u64| (0..5).map(|i| (count + i, 1000)).collect::<Vec<_>>();
        let least = Least::of(0.02);
        let p = |before: &[(u64, u64)], after: &[(u64, u64)]| faults(before, after, least).and_then(|effect| effect.p);
        assert!((p(&runs(1), &runs(10)).unwrap() - 2.0 / 252.0).abs() < 1e-12);
        assert!((p(&runs(10), &[(0, 1000); 5]).unwrap() - 2.0 / 252.0).abs() < 1e-12);
        // One burst is one run's.
        let burst = [(0, 1000), (0, 1000), (0, 1000), (0, 1000), (500, 1000)];
        assert!(p(&[(0, 1000); 5], &burst).unwrap() > 0.5);
        assert_eq!(p(&runs(1), &[(0, 0)]), None);
        // By the least effect apart, and a little: chance is not against the little.
        let by = |share: u64| (0..6).map(|i| (100_000 + share + i, 10_000_000)).collect::<Vec<_>>();
        let all: Vec<(u64, u64)> = by(0);
        assert!(p(&all, &by(2001)).unwrap() > 0.2, "{:?}", p(&all, &by(2001)));
        assert!(p(&all, &by(3000)).unwrap() < 0.01);
    }
}
