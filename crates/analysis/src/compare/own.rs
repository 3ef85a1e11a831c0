//! Two runs by their own intervals: one record a side (docs/method/compare.md).

use super::chance::{above, at_least};
use super::{Effect, Least};

/// z of a two-sided 95 % interval.
const Z95: f64 = 1.959_963_984_540_054;
/// Half of what a 95 % interval leaves out.
const OUTSIDE: f64 = 0.025;

/// A value and the ends of its 95 % interval, on a scale where differences count: a logarithm, or ppm. Ends may be infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Known {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// The difference of two with its interval by MOVER (Zou and Donner 2008), and how often one as large comes where the truth
/// differs by `least` at most. For that the half width on the side of no difference is taken for 1.96 standard deviations.
pub(super) fn difference(before: Known, after: Known, least: f64) -> Effect {
    let value = after.value - before.value;
    let low = value - libm::hypot(after.value - after.low, before.high - before.value);
    let high = value + libm::hypot(after.high - after.value, before.value - before.low);
    let (beyond, half) = (value.abs() - least, if value > 0.0 { value - low } else { high - value });
    let p = match () {
        () if beyond <= 0.0 => 1.0,
        () if half > 0.0 => 2.0 * above(beyond / half * Z95),
        () => 0.0,
    };
    Effect { value, low, high, p: Some(p.min(1.0)) }
}

/// The ratio of two rates of faults, as a logarithm, with its interval by Clopper and Pearson, given how many came in all
/// (Przyborowski and Wilenski 1940); `None` where none came or nothing was read.
pub(super) fn counts(before: (u64, u64), after: (u64, u64), least: Least) -> Option<Effect> {
    let [(k1, n1), (k2, n2)] = [before, after].map(|(faults, reads)| (faults as f64, reads as f64));
    let all = k1 + k2;
    if all <= 0.0 || n1 <= 0.0 || n2 <= 0.0 {
        return None;
    }
    let reads = libm::log(n2 / n1);
    // What share of the faults comes after, where rates differ by that.
    let share = |log_ratio: f64| 1.0 / (1.0 + libm::exp(-(log_ratio + reads)));
    let many = |log_ratio: f64| at_least(k2, all, share(log_ratio));
    // The same told of those before, as 1 minus a share near 1 would lose its digits.
    let few = |log_ratio: f64| at_least(k1, all, share_of_the_first(log_ratio + reads));
    let value = libm::log(k2 / n2) - libm::log(k1 / n1);
    let low = if k2 > 0.0 { crossing(|at| many(at) > OUTSIDE, reads) } else { f64::NEG_INFINITY };
    let high = if k1 > 0.0 { crossing(|at| few(at) < OUTSIDE, reads) } else { f64::INFINITY };
    let p = if value > 0.0 { many(least.log) } else { few(-least.log) };
    let p = if value.abs() <= least.log { 1.0 } else { (2.0 * p).min(1.0) };
    Some(Effect { value, low, high, p: Some(p) })
}

fn share_of_the_first(log_odds: f64) -> f64 {
    1.0 / (1.0 + libm::exp(log_odds))
}

/// Where a condition begins to hold, by halving.
fn crossing(holds: impl Fn(f64) -> bool, reads: f64) -> f64 {
    let (mut low, mut high) = (-60.0 - reads, 60.0 - reads);
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        *(if holds(middle) { &mut high } else { &mut low }) = middle;
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(random: &mut fastrand::Rng) -> f64 {
        (-2.0 * libm::log(1.0 - random.f64())).sqrt() * libm::cos(core::f64::consts::TAU * random.f64())
    }

    /// Sides of unlike widths, one of them lopsided on the scale: the interval holds the true difference 95 times in 100.
    #[test]
    fn movers_interval_holds_the_true_difference() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut known = |truth: f64, sd: f64| {
            let value = truth + sd * normal(&mut random);
            let at = |z: f64| libm::log(value + z * sd);
            Known { value: libm::log(value), low: at(-Z95), high: at(Z95) }
        };
        let truth = libm::log(22.0 / 20.0);
        let mut is_held = || {
            let effect = difference(known(20.0, 0.9), known(22.0, 0.3), 0.0);
            (effect.low..=effect.high).contains(&truth)
        };
        let held = (0..4000).filter(|_| is_held()).count();
        assert!((3760..=3840).contains(&held), "{held} of 4000");
    }

    /// Two sides with equal normal errors come to the same as the textbook's z.
    #[test]
    fn p_is_that_of_the_normal_distribution() {
        let side = |value: f64| Known { value, low: value - Z95, high: value + Z95 };
        let effect = difference(side(0.0), side(3.0), 0.0);
        assert!((effect.p.unwrap() - 2.0 * above(3.0 / 2.0_f64.sqrt())).abs() < 1e-12);
        assert!((effect.high - 3.0 - Z95 * 2.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(difference(side(0.0), side(0.01), 0.02).p, Some(1.0));
        // The interval's end and the test change sides together.
        let edge = Z95 * 2.0_f64.sqrt() + 0.02;
        assert!((difference(side(0.0), side(edge), 0.02).p.unwrap() - 0.05).abs() < 1e-9);
    }

    #[test]
    fn counts_are_those_of_the_conditional_binomial() {
        let none = Least::of(0.0);
        // 0 of 1000 and 6 of 1000: 2 / 2^6; all six before: the same; twice the reads after: (2/3)^6.
        let p = |before, after| counts(before, after, none).and_then(|effect| effect.p).unwrap();
        assert!((p((0, 1000), (6, 1000)) - 2.0 / 64.0).abs() < 1e-9);
        assert!((p((6, 1000), (0, 1000)) - 2.0 / 64.0).abs() < 1e-9);
        assert!((p((0, 1000), (6, 2000)) - 2.0 * 64.0 / 729.0).abs() < 1e-9);
        assert_eq!(p((5, 1000), (5, 1000)), 1.0);
        // Clopper and Pearson of 8 in 10: 0.4439 to 0.9748; the odds are the ratio.
        let effect = counts((2, 500), (8, 500), none).unwrap();
        for (found, share) in [(effect.low, 0.443_904_5), (effect.high, 0.974_789_3)] {
            assert!((libm::exp(found) / (share / (1.0 - share)) - 1.0).abs() < 1e-4, "{found}");
        }
        assert_eq!(counts((0, 10), (0, 10), none), None);
        assert_eq!(counts((0, 10), (3, 0), none), None);
        let vast = counts((u64::MAX, u64::MAX), (1, u64::MAX), none).unwrap();
        assert!(vast.p == Some(0.0) && !vast.low.is_nan() && !vast.high.is_nan(), "{vast:?}");
    }
}
