//! How many degrees of freedom an overlapping estimate of the Allan variance has, after Greenhall and Riley, *Uncertainty of
//! stability variances based on finite differences*, PTTI 2003 (NIST SP 1065, 5.4.1): the sum over the covariances of the
//! second differences that it is the mean of.

use super::EXACT;
use super::noise::Law;

/// Second differences.
const ORDER: f64 = 2.0;
/// Windows that begin within an averaging time, where more of them say nothing new: the noise is alike from one to the next.
const ENOUGH: u64 = 64;

/// Of `points` phases and an averaging time of so many steps; `None` where they leave no window.
pub(super) fn freedom(law: Law, steps: u64, points: u64, modified: bool) -> Option<f64> {
    let alpha = f64::from(law);
    // White and flicker phase noise are new from one phase to the next, unless they are averaged.
    let starts = steps.min(if law >= 1 && !modified { EXACT as u64 } else { ENOUGH }) as f64;
    let (length, points) = (steps as f64, points as f64);
    // The filter: of single phases, or of means over the averaging time.
    let inner = if modified { 1.0 } else { length };
    let windows = 1.0 + (starts * (points - length / inner - length * ORDER) / length).floor();
    if windows < 1.0 {
        return None;
    }
    let reach = windows.min((ORDER + 1.0) * starts);
    let covariance = |at: f64| {
        let value = second_difference(at / starts, inner, alpha);
        value * value
    };
    let apart = (1..reach as u64).map(|at| at as f64).map(|at| 2.0 * (1.0 - at / windows) * covariance(at));
    let last = (1.0 - reach / windows) * covariance(reach);
    let sum = covariance(0.0) + apart.sum::<f64>() + last;
    let found = windows * covariance(0.0) / sum;
    (found.is_finite() && found > 0.0).then_some(found)
}

/// Covariance of second differences that are `t` averaging times apart.
fn second_difference(t: f64, inner: f64, alpha: f64) -> f64 {
    let of = |t: f64| filtered(t, inner, alpha);
    6.0 * of(t) - 4.0 * (of(t - 1.0) + of(t + 1.0)) + of(t - 2.0) + of(t + 2.0)
}

fn filtered(t: f64, inner: f64, alpha: f64) -> f64 {
    let width = 1.0 / inner;
    inner * inner * (2.0 * covariance(t, alpha) - covariance(t - width, alpha) - covariance(t + width, alpha))
}

/// The generalized autocovariance of the phase.
fn covariance(t: f64, alpha: f64) -> f64 {
    let t = t.abs();
    let log = if t > 0.0 { libm::log(t) } else { 0.0 };
    match alpha {
        2.0 => -t,
        1.0 => t * t * log,
        0.0 => t * t * t,
        -1.0 => -t * t * t * t * log,
        _ => -t * t * t * t * t,
    }
}
