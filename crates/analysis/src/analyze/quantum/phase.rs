//! Turns of the circle, in cycles; the same to the last bit on every machine.

use std::f64::consts::TAU;

use num_complex::Complex;

/// exp(2πi · cycles).
pub(super) fn unit(cycles: f64) -> Complex<f64> {
    let (sin, cos) = libm::sincos(TAU * (cycles - cycles.floor()));
    Complex::new(cos, sin)
}

/// How far a sum is turned, in −½ … ½.
pub(super) fn cycles(z: Complex<f64>) -> f64 {
    libm::atan2(z.im, z.re) / TAU
}

pub(super) fn length(z: Complex<f64>) -> f64 {
    z.norm_sqr().sqrt()
}

/// sin(πx) / (πx).
pub(super) fn sinc(x: f64) -> f64 {
    let a = std::f64::consts::PI * x;
    if a.abs() < 1e-9 { 1.0 } else { libm::sin(a) / a }
}

/// The score that rounding to whole counts leaves of a line of that many cycles a count: both readings of a difference
/// are rounded.
pub(super) fn rounded(cycles: f64) -> f64 {
    sinc(cycles) * sinc(cycles)
}
