//! The distributions that tests take, and Holm's correction.

/// Above that variance the binomial is taken for a normal distribution: its skewness is 0.003 at most then, however lopsided.
const BROAD: f64 = 1e5;
/// So are those of so many trials, for which the exact one takes too long.
const MANY: f64 = 1e8;

/// The share of the normal distribution above `z`.
pub(super) fn above(z: f64) -> f64 {
    0.5 * libm::erfc(z / core::f64::consts::SQRT_2)
}

/// The share of the binomial distribution of `n` trials at or above `k`; the share of each is `p`.
pub(super) fn at_least(k: f64, n: f64, p: f64) -> f64 {
    if k <= 0.0 {
        1.0
    } else if k > n || p <= 0.0 {
        0.0
    } else if p >= 1.0 {
        1.0
    } else if n > MANY || n * p * (1.0 - p) > BROAD {
        above((k - 0.5 - n * p) / (n * p * (1.0 - p)).sqrt())
    } else {
        beta(p, k, n - k + 1.0)
    }
}

/// The regularized incomplete beta function I_x(a, b) by its continued fraction (Abramowitz and Stegun 26.5.8), on the side
/// where it converges fast.
fn beta(x: f64, a: f64, b: f64) -> f64 {
    if x > (a + 1.0) / (a + b + 2.0) {
        return (1.0 - beta_left(1.0 - x, b, a)).clamp(0.0, 1.0);
    }
    beta_left(x, a, b).clamp(0.0, 1.0)
}

fn beta_left(x: f64, a: f64, b: f64) -> f64 {
    let front =
        libm::exp(libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * libm::log(x) + b * libm::log1p(-x));
    let kept = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    // Lentz's algorithm.
    let (mut over, mut under) = (1.0, 1.0 / kept(1.0 - (a + b) * x / (a + 1.0)));
    let mut product = under;
    for i in 1..20_000 {
        let m = f64::from(i);
        for term in [
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        ] {
            under = 1.0 / kept(1.0 + term * under);
            over = kept(1.0 + term / over);
            product *= under * over;
        }
        if (under * over - 1.0).abs() < 1e-15 {
            break;
        }
    }
    front * product / a
}

/// Holm's correction (1979): of each p by how much it grows for being one of many, in the order given.
pub(super) fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let mut adjusted = vec![1.0; p.len()];
    let mut most = 0.0_f64;
    for (place, at) in order.into_iter().enumerate() {
        most = most.max(p[at] * (p.len() - place) as f64).min(1.0);
        adjusted[at] = most;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() <= 1e-9 * wanted.abs().max(1e-9), "{found} {wanted}");
    }

    #[test]
    fn binomial_tails_are_those_counted_by_hand() {
        // Of 3 coins: 3 heads 1/8, at least 2 of them 4/8.
        near(at_least(3.0, 3.0, 0.5), 0.125);
        near(at_least(2.0, 3.0, 0.5), 0.5);
        near(at_least(1.0, 1.0, 0.3), 0.3);
        // 1 - 0.9^10.
        near(at_least(1.0, 10.0, 0.1), 0.651_321_559_9);
        // 638 of 1024 lie at 5 or more of 10 coins.
        near(at_least(5.0, 10.0, 0.5), 638.0 / 1024.0);
        assert_eq!((at_least(0.0, 5.0, 0.2), at_least(6.0, 5.0, 0.2)), (1.0, 0.0));
        // Where one way of counting ends the other goes on.
        let (exact, normal) = (at_least(200_600.0, 4e5, 0.5), at_least(200_601.0, 4e5 + 2.0, 0.5));
        assert!((exact - normal).abs() < 1e-4, "{exact} {normal}");
        // Lopsided: what is rare is a matter of Poisson's distribution, however many trials there are. Of a mean of 10 at
        // least 20 come 0.003454 of the time.
        let rare = at_least(20.0, 1e7, 1e-6);
        assert!((rare - 0.003_454).abs() < 1e-5, "{rare}");
    }

    #[test]
    fn the_normal_distribution_is_that_of_the_tables() {
        near(above(0.0), 0.5);
        assert!((above(1.959_963_984_540_054) - 0.025).abs() < 1e-12);
        assert!((above(5.0) / 2.866_515_719e-7 - 1.0).abs() < 1e-6);
    }

    /// R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm").
    #[test]
    fn holms_correction_is_rs() {
        for (found, wanted) in holm(&[0.01, 0.04, 0.03, 0.005]).into_iter().zip([0.03, 0.06, 0.06, 0.02]) {
            near(found, wanted);
        }
        assert_eq!(holm(&[0.7, 0.9]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }
}
