//! Numbers as people read them: no digit finer than the uncertainty, and short.
//!
//! From a million on, values are written with an engineering exponent, so that a column keeps one unit and stays narrow.

use super::{trimmed, unit};

/// From here on values are written with an exponent.
const EXPONENT_FROM: f64 = 1e6;

/// A value whose uncertainty (half width of its interval) is known: rounded to the uncertainty's last digit,
/// with at most `decimals` decimals. An uncertainty of 0 leaves `decimals`.
pub fn measured(value: f64, uncertainty: f64, decimals: usize) -> String {
    at_place(value, place(uncertainty, decimals), false)
}

/// An uncertainty: one digit, or two where the first is 1, rounded up so that it never claims too much.
pub fn uncertainty(value: f64, decimals: usize) -> String {
    let place = place(value, decimals);
    // A hair less, so that 0.020000001 (a difference of two decimal fractions) stays 0.02.
    at_place((value / place - 1e-6).ceil().max(0.0) * place, place, false)
}

/// Both: `18.11 ± 0.03`.
pub fn with_uncertainty(value: f64, half_width: f64, decimals: usize) -> String {
    format!("{} ± {}", measured(value, half_width, decimals), uncertainty(half_width, decimals))
}

/// A value that is exact or whose uncertainty is unknown: at most `decimals` decimals, no trailing zeros.
pub fn exact(value: f64, decimals: usize) -> String {
    at_place(value, place(0.0, decimals), true)
}

/// An upper limit: two digits, rounded up.
pub fn limit(value: f64) -> String {
    if value <= 0.0 || !value.is_finite() {
        return exact(value, 1);
    }
    let place = first_digit(value) / 10.0;
    at_place((value / place - 1e-6).ceil() * place, place, true)
}

/// A typical size with nothing known of its spread: whole numbers, below 10 one decimal.
pub fn rough(value: f64) -> String {
    at_place(value, if value.abs() < 9.95 { 0.1 } else { 1.0 }, false)
}

/// A share of one as percent with two digits, e.g. `0.34 %`.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent == 0.0 {
        "0 %".into()
    } else if percent < 0.01 {
        "< 0.01 %".into()
    } else if percent < 1.0 {
        format!("{percent:.2} %")
    } else {
        format!("{percent:.1} %")
    }
}

/// A length of time in the unit that suits it, for running text.
pub fn duration(ns: f64) -> String {
    let (scale, unit) = unit(ns);
    format!("{} {unit}", exact(ns / scale, 3))
}

/// The power of ten of an uncertainty's last digit, or of so many decimals where that is more. Of 1.4 rounded up to 2
/// nearly a third would be made up: there a second digit stands.
fn place(uncertainty: f64, decimals: usize) -> f64 {
    let finest = 10f64.powi(-i32::try_from(decimals).unwrap_or(i32::MAX));
    let first = first_digit(uncertainty);
    let last = if uncertainty < 2.0 * first { first / 10.0 } else { first };
    if uncertainty > 0.0 { last.max(finest) } else { finest }
}

/// The power of ten of a positive number's first digit.
fn first_digit(value: f64) -> f64 {
    10f64.powi(libm::log10(value).floor() as i32)
}

/// `value` rounded to a multiple of `place`, a power of ten.
fn at_place(value: f64, place: f64, trim: bool) -> String {
    if !value.is_finite() {
        return "?".into();
    }
    if value.abs() >= EXPONENT_FROM {
        // Three decimals of the mantissa are enough for a table; the record has them all.
        let place = place.max(1e-3 * engineering(value));
        let rounded = (value / place).round() * place;
        // Rounding takes the largest of all beyond what there is.
        let rounded = if rounded.is_finite() { rounded } else { value };
        if rounded == 0.0 {
            return "0".into();
        }
        let scale = engineering(rounded);
        let mantissa = format!("{:.3}", rounded / scale);
        return format!("{}e{:.0}", trimmed(&mantissa), libm::log10(scale));
    }
    let decimals = (-libm::log10(place)).round().max(0.0) as usize;
    let text = format!("{:.decimals$}", (value / place).round() * place);
    let text = if trim { trimmed(&text) } else { &text };
    let size = text.trim_start_matches('-');
    if size.chars().all(|c| c == '0' || c == '.') { size } else { text }.to_owned()
}

/// 1e6, 1e9 and so on: the engineering power of a value of a million or more.
fn engineering(value: f64) -> f64 {
    10f64.powi((libm::log10(value.abs()) / 3.0 + 1e-12).floor() as i32 * 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_digit_is_finer_than_the_uncertainty_and_large_values_stay_short() {
        for (said, right) in [
            (measured(9.5083, 0.0031, 2), "9.51"),
            (measured(9.5083, 0.21, 2), "9.5"),
            (measured(534.7, 2.3, 2), "535"),
            (measured(534.7, 31.0, 2), "530"),
            (measured(534.7, 0.0, 2), "534.70"),
            (measured(10.014_96, 0.000_02, 3), "10.015"),
            (measured(4_000_003.0, 40.0, 3), "4e6"),
            (measured(999_999_998.0, 30_000.0, 3), "1e9"),
            (exact(10_000_000.0, 3), "10e6"),
            (exact(1_234_567.0, 3), "1.235e6"),
            (exact(999_999.0, 3), "999999"),
            (exact(-0.000_1, 2), "0"),
            (measured(4e6, 1e7, 2), "4e6"),
            (with_uncertainty(32.1, 12.3, 2), "32 ± 13"),
            (with_uncertainty(32.1, 21.3, 2), "30 ± 30"),
            (exact(f64::NAN, 2), "?"),
            (exact(f64::MAX, 2), "179.769e306"),
            (limit(1.21), "1.3"),
            (limit(1.2), "1.2"),
            (limit(18.01), "19"),
            (limit(f64::INFINITY), "?"),
            (uncertainty(0.021, 2), "0.03"),
            (uncertainty(9.52 - 9.50, 2), "0.02"),
            (uncertainty(0.0001, 2), "0.01"),
            (uncertainty(3.2, 2), "4"),
            (uncertainty(0.0, 2), "0.00"),
            (duration(4_000_000.0), "4 ms"),
            (duration(10.015), "10.015 ns"),
            (percent(0.0034), "0.34 %"),
            (percent(0.000_01), "< 0.01 %"),
        ] {
            assert_eq!(said, right);
        }
    }
}
