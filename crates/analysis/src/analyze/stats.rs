//! Order statistics.

/// z of a two-sided 95 % interval.
pub(super) const Z95: f64 = 1.959_964;

/// Median of a sorted slice; `None` if it is empty.
pub(super) fn median(sorted: &[f64]) -> Option<f64> {
    let n = sorted.len();
    let upper = *sorted.get(n / 2)?;
    Some(if n % 2 == 1 { upper } else { f64::midpoint(sorted[n / 2 - 1], upper) })
}

/// Distribution-free 95 % interval of the median: the order statistics between which the median lies with
/// that probability, by the normal approximation of the binomial with continuity correction (David and
/// Nagaraja, Order Statistics, 7.1). The whole range where there are too few values for 95 %.
pub(super) fn median_interval(sorted: &[f64]) -> Option<(f64, f64)> {
    interval_worth(sorted, sorted.len() as f64, Z95)
}

/// The same for values that are worth as many independent ones as `worth` says; `z` of the normal distribution.
fn interval_worth(sorted: &[f64], worth: f64, z: f64) -> Option<(f64, f64)> {
    let last = sorted.len().checked_sub(1)?;
    let n = sorted.len() as f64;
    let below = ((n - z * n / worth.sqrt()) / 2.0 - 0.5).floor().max(0.0) as usize;
    Some((sorted[below.min(last)], sorted[last - below.min(last)]))
}

/// Median and its 95 % interval for values in the order of time, of which neighbours may be alike (a CPU's frequency
/// that wanders, slopes that share readings): the interval of as many independent values as these are worth.
pub(super) fn median_in_time(values: &[f64]) -> Option<(f64, f64, f64)> {
    let mut sorted = values.to_vec();
    sort(&mut sorted);
    let middle = median(&sorted)?;
    let likeness = likeness(values, middle);
    let (low, high) = if likeness > 1.0 {
        let worth = sorted.len() as f64 / likeness;
        interval_worth(&sorted, worth, z_of(worth))?
    } else {
        median_interval(&sorted)?
    };
    Some((middle, low, high))
}

/// z where values are alike, and worth as many independent ones: the likeness is an estimate as well, and rests on no
/// more than those.
pub(super) fn z_of(worth: f64) -> f64 {
    Z95 * (1.0 + 4.0 / worth)
}

/// By how much the likeness of neighbours multiplies the variance of the number of values below the median, at least
/// 1: one and twice the sum of the autocorrelations of their signs, up to where the sum of two neighbouring ones is no
/// longer positive, none above the one before (Geyer 1992, initial monotone sequence).
pub(super) fn likeness(values: &[f64], middle: f64) -> f64 {
    let signs: Vec<f64> = values.iter().map(|v| v.total_cmp(&middle) as i8).map(f64::from).collect();
    let n = signs.len();
    let mean = signs.iter().sum::<f64>() / n.max(1) as f64;
    let at =
        |lag: usize| -> f64 { signs.iter().zip(&signs[lag..]).map(|(a, b)| (a - mean) * (b - mean)).sum() };
    let variance = at(0);
    if variance <= 0.0 {
        return 1.0;
    }
    let (mut sum, mut before) = (0.0, f64::INFINITY);
    for lag in (1..n / 2).step_by(2) {
        let both = f64::min(before, (at(lag) + at(lag + 1)) / variance);
        if both <= 0.0 {
            break;
        }
        sum += both;
        before = both;
    }
    let factor = 1.0 + 2.0 * sum;
    // What the mean of the signs takes out of their autocorrelation.
    factor / (1.0 - (factor / n as f64).min(0.5))
}

/// Sorts, NaN last.
pub(super) fn sort(values: &mut [f64]) {
    values.sort_unstable_by(f64::total_cmp);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_holds_the_median_95_times_in_100() {
        // 2000 samples of 101 uniform values each; the true median is 0.5.
        let mut seed = 1_u64;
        let mut uniform = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        let inside = (0..2000)
            .filter(|_| {
                let sample: Vec<f64> = (0..101).map(|_| uniform()).collect();
                let (_, low, high) = median_in_time(&sample).unwrap();
                (low..=high).contains(&0.5)
            })
            .count();
        assert!((1880..=1960).contains(&inside), "{inside} of 2000");
    }

    #[test]
    fn likeness_of_neighbours_widens_the_interval() {
        let mut seed = 3_u64;
        let mut uniform = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        // First-order autoregressive, 1/e after 10 values, true median 0.
        let mut held = 0;
        for _ in 0..600 {
            let mut value = 0.0;
            let wander: Vec<f64> = (0..500)
                .map(|_| {
                    value = 0.905 * value + uniform();
                    value
                })
                .collect();
            let (_, low, high) = median_in_time(&wander).unwrap();
            held += u32::from((low..=high).contains(&0.0));
        }
        assert!((546..=588).contains(&held), "{held} of 600");
    }

    #[test]
    fn values_that_are_all_equal_or_few_are_their_own_interval() {
        assert_eq!(median_in_time(&[2.0; 50]), Some((2.0, 2.0, 2.0)));
        assert_eq!(median_in_time(&[3.0, 1.0]), Some((2.0, 1.0, 3.0)));
        assert_eq!(median_in_time(&[]), None);
    }

    #[test]
    fn few_values_give_the_whole_range() {
        assert_eq!(median_in_time(&[1.0, 3.0, 2.0]), Some((2.0, 1.0, 3.0)));
        assert_eq!(median(&[1.0, 2.0]), Some(1.5));
    }
}
