//! Quantiles of the chi-squared distribution with any number of degrees of freedom.

/// What a deviation is to be multiplied by for the ends of its 95 % interval: the roots of ν / χ²(97.5 %) and ν / χ²(2.5 %).
pub(super) fn factors(freedom: f64) -> [f64; 2] {
    [0.975, 0.025].map(|share| (freedom / quantile(share, freedom)).sqrt())
}

/// The value below which that share of the distribution lies, by halving.
fn quantile(share: f64, freedom: f64) -> f64 {
    let (mut low, mut high) = (0.0, freedom + 10.0 * (2.0 * freedom).sqrt() + 20.0);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        *(if below(middle, freedom) < share { &mut low } else { &mut high }) = middle;
    }
    f64::midpoint(low, high)
}

/// The share below `value`: the regularized incomplete gamma function P(ν/2, x/2), by its series or its continued fraction
/// (Abramowitz and Stegun 6.5.29 and 6.5.31).
fn below(value: f64, freedom: f64) -> f64 {
    let (shape, x) = (freedom / 2.0, value / 2.0);
    if x <= 0.0 {
        return 0.0;
    }
    let front = libm::exp(shape * libm::log(x) - x - libm::lgamma(shape));
    if x < shape + 1.0 {
        let (mut term, mut sum) = (1.0 / shape, 1.0 / shape);
        let mut next = shape;
        while term > sum * 1e-15 {
            next += 1.0;
            term *= x / next;
            sum += term;
        }
        return front * sum;
    }
    // By Lentz's algorithm.
    let (mut partial, mut above) = (x + 1.0 - shape, f64::MAX);
    let mut below = 1.0 / partial;
    let mut product = below;
    for i in 1..10_000 {
        let i = f64::from(i);
        let numerator = -i * (i - shape);
        partial += 2.0;
        below = 1.0 / (numerator * below + partial);
        above = partial + numerator / above;
        product *= above * below;
        if (above * below - 1.0).abs() < 1e-15 {
            break;
        }
    }
    1.0 - front * product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (share, freedom, wanted) in [
            (0.025, 1.0, 0.000_982_069),
            (0.975, 1.0, 5.023_886),
            (0.025, 10.0, 3.246_973),
            (0.975, 10.0, 20.483_177),
            (0.025, 100.0, 74.221_927),
            (0.975, 100.0, 129.561_197),
            (0.975, 3000.0, 3_153.7),
        ] {
            let found = quantile(share, freedom);
            assert!((found / wanted - 1.0).abs() < 1e-5, "{share} {freedom}: {found}");
        }
    }
}
