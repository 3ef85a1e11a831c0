//! Order statistics.

/// z of a two-sided 95 % interval.
pub(super) const Z95: f64 = 1.959_964;

/// The autocorrelation is taken of so many batches of neighbours: weak likeness over long lags stands out of their sums,
/// and the factor's own scatter, √(2/32), is a quarter.
const BATCHES: usize = 32;
/// Of so many independent values the interval is the middle half of all.
const FEW: f64 = 16.0;
/// The factor that values which alternate may have at least: two of those standard deviations below 1.
const LEAST: f64 = 0.5;

/// Fewest values whose least and greatest hold the median in 95 of 100 cases: 1 - 2 / 2^6 = 0.97.
pub(super) const FEWEST_FOR_MEDIAN: u64 = 6;

/// Whether so many values tell a quantile from the greatest of them: one at least lies beyond it. 0.99 takes 100.
pub(super) fn carries(n: u64, q: f64) -> bool {
    // Half of one, as 1 - 0.99 is no round number; the median of one is that one.
    n > 0 && (q <= 0.5 || n as f64 * (1.0 - q) > 1.0 - 1e-9)
}

/// Median of a sorted slice; `None` if it is empty.
pub(super) fn median(sorted: &[f64]) -> Option<f64> {
    let n = sorted.len();
    let upper = *sorted.get(n / 2)?;
    Some(if n % 2 == 1 { upper } else { f64::midpoint(sorted[n / 2 - 1], upper) })
}

/// Distribution-free 95 % interval of the median of values: the order statistics between which it lies with that
/// probability, by the normal approximation of the binomial with continuity correction (David and Nagaraja, Order
/// Statistics, 7.1). The whole range where there are too few values for 95 %. The variance of the number of values below the
/// median is larger by a factor than that of independent ones; with it, the quantile that makes it 95 %.
fn interval(sorted: &[f64], (factor, quantile): (f64, f64)) -> Option<(f64, f64)> {
    let last = sorted.len().checked_sub(1)?;
    let n = sorted.len() as f64;
    let below = ((n - quantile * (n * factor).sqrt()) / 2.0 - 0.5).floor().max(0.0) as usize;
    Some((sorted[below.min(last)], sorted[last - below.min(last)]))
}

/// Median and its 95 % interval for values in the order of time, of which neighbours may be alike (a CPU's frequency
/// that wanders, slopes that share readings).
///
/// Where they are so alike that they tell no more than [`FEW`] independent ones would, the interval reaches far out, to the
/// values that an interruption made. There it is that of the medians of batches of neighbours, which have no such values:
/// at the widest as wide as what the values wandered through.
pub(super) fn median_in_time(values: &[f64]) -> Option<(f64, f64, f64)> {
    let (middle, sorted) = sorted_median(values)?;
    let factor = autocorrelation_factor(values, middle);
    let (low, high) = if sorted.len() as f64 / factor.0 < FEW && sorted.len() > BATCHES {
        let batches = values.chunks(values.len().div_ceil(BATCHES));
        let medians: Vec<f64> = batches.filter_map(|batch| Some(sorted_median(batch)?.0)).collect();
        let (of_medians, medians_sorted) = sorted_median(&medians)?;
        let (low, high) = interval(&medians_sorted, autocorrelation_factor(&medians, of_medians))?;
        (low.min(middle), high.max(middle))
    } else {
        interval(&sorted, factor)?
    };
    Some((middle, low, high))
}

/// The median, and the values sorted.
fn sorted_median(values: &[f64]) -> Option<(f64, Vec<f64>)> {
    let mut sorted = values.to_vec();
    sort(&mut sorted);
    Some((median(&sorted)?, sorted))
}

/// The autocorrelation factor: by how much the likeness of neighbours multiplies the variance of the number of values
/// below the median. The effective sample size is that of the values over it. With it comes the quantile that makes an
/// interval 95 %, for the factor is an estimate.
///
/// 1 + 2 Σ ρ(k), ρ(k) the autocorrelation of the values' signs, by Geyer's initial monotone sequence over batches of
/// neighbours (docs/method/cost.md).
pub(super) fn autocorrelation_factor(values: &[f64], middle: f64) -> (f64, f64) {
    let signs: Vec<f64> = values.iter().map(|v| f64::from(v.total_cmp(&middle) as i8)).collect();
    let n = signs.len();
    let mean = signs.iter().sum::<f64>() / n.max(1) as f64;
    let variance = signs.iter().map(|sign| (sign - mean) * (sign - mean)).sum::<f64>() / n.max(1) as f64;
    let each = n.div_ceil(BATCHES).max(1);
    let batches: Vec<f64> = signs.chunks_exact(each).map(|batch| batch.iter().map(|sign| sign - mean).sum()).collect();
    let at = |lag: usize| -> f64 { batches.iter().zip(&batches[lag..]).map(|(a, b)| a * b).sum() };
    let (mut sum, mut before, mut lags) = (0.0, f64::INFINITY, 0);
    for lag in (0..batches.len() / 2).step_by(2) {
        let both = f64::min(before, at(lag) + at(lag + 1));
        if both <= 0.0 {
            break;
        }
        (sum, before, lags) = (sum + both, both, lag + 2);
    }
    let factor = ((2.0 * sum - at(0)) / ((batches.len() * each) as f64 * variance)).max(LEAST);
    // The signs' own mean was taken out, and so 1/m of the sum from each of the lags, forwards and back.
    let taken = (2 * lags).saturating_sub(1) as f64 / batches.len() as f64;
    (factor / (1.0 - taken.min(0.5)), t95(2.0 / taken))
}

/// Student's t of a two-sided 95 % interval: the first term of its expansion by the degrees of freedom (Abramowitz and
/// Stegun 26.7.5), within 2 % from 4 of them on.
fn t95(freedom: f64) -> f64 {
    Z95 * (1.0 + (Z95 * Z95 + 1.0) / (4.0 * freedom))
}

/// Sorts, NaN last.
pub(super) fn sort(values: &mut [f64]) {
    values.sort_unstable_by(f64::total_cmp);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of 1000 intervals hold the median, 0, of `n` values, each of them `keeps` times the one before and a
    /// uniform one.
    fn held(n: usize, keeps: f64) -> usize {
        let mut random = fastrand::Rng::with_seed(1);
        let mut is_held = || {
            let mut value = 0.0;
            let mut next = || {
                value = keeps * value + random.f64() - 0.5;
                value
            };
            // Past the beginning.
            let values: Vec<f64> = (0..n + 100).map(|_| next()).skip(100).collect();
            let (_, low, high) = median_in_time(&values).unwrap();
            (low..=high).contains(&0.0)
        };
        (0..1000).filter(|_| is_held()).count()
    }

    #[test]
    fn the_interval_holds_the_median_95_times_in_100() {
        for (n, keeps) in [(500, 0.0), (500, 0.5), (500, 0.905), (2000, 0.98)] {
            let held = held(n, keeps);
            assert!((930..=970).contains(&held), "{n}, {keeps}: {held} of 1000");
        }
    }

    /// A CPU at two frequencies, for half of the time each, and one value in fifty that an interruption made.
    #[test]
    fn what_interruptions_made_is_not_in_the_interval_however_alike_neighbours_are() {
        let value = |i: usize| match i {
            i if i % 50 == 7 => [0.0, 9000.0][i / 50 % 2],
            i if i < 2000 => 11.0 + 0.01 * (i % 7) as f64,
            i => 11.3 + 0.01 * (i % 7) as f64,
        };
        let values: Vec<f64> = (0..4000).map(value).collect();
        let (_, low, high) = median_in_time(&values).unwrap();
        assert!((11.0..11.1).contains(&low) && (11.3..11.4).contains(&high), "{low} {high}");
    }

    #[test]
    fn values_that_are_all_equal_or_few_are_their_own_interval() {
        for (values, wanted) in [
            (&[2.0; 50][..], Some((2.0, 2.0, 2.0))),
            (&[3.0, 1.0], Some((2.0, 1.0, 3.0))),
            (&[1.0, 3.0, 2.0], Some((2.0, 1.0, 3.0))),
            (&[], None),
        ] {
            assert_eq!(median_in_time(values), wanted);
        }
    }
}
