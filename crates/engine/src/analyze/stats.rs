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
    let last = sorted.len().checked_sub(1)?;
    let n = sorted.len() as f64;
    let below = ((n - Z95 * n.sqrt()) / 2.0 - 0.5).floor().max(0.0) as usize;
    Some((sorted[below.min(last)], sorted[last - below.min(last)]))
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
                let mut sample: Vec<f64> = (0..101).map(|_| uniform()).collect();
                sort(&mut sample);
                let (low, high) = median_interval(&sample).unwrap();
                (low..=high).contains(&0.5)
            })
            .count();
        assert!((1880..=1960).contains(&inside), "{inside} of 2000");
    }

    #[test]
    fn few_values_give_the_whole_range() {
        assert_eq!(median_interval(&[1.0, 2.0, 3.0]), Some((1.0, 3.0)));
        assert_eq!(median_interval(&[]), None);
        assert_eq!(median(&[1.0, 2.0]), Some(1.5));
    }
}
