//! Decimal numbers, exactly.

use super::quoted;
use crate::analyze::samples::{MOST_DECIMALS, Number};

/// Most digits of a number.
const DIGITS: u32 = 36;

/// Reads a number: digits with a sign, a point and an exponent, or without.
///
/// # Errors
/// A sentence.
pub(super) fn number(text: &[u8]) -> Result<Number, String> {
    match short(text) {
        Some(digits) => Ok(Number { digits: digits.into(), decimals: 0 }),
        None => long(text),
    }
}

/// Up to 18 digits, as nearly all are.
#[inline]
fn short(text: &[u8]) -> Option<i64> {
    if text.is_empty() || text.len() > 18 {
        return None;
    }
    text.iter().try_fold(0_i64, |value, digit| {
        let digit = digit.wrapping_sub(b'0');
        (digit < 10).then(|| value * 10 + i64::from(digit))
    })
}

fn long(text: &[u8]) -> Result<Number, String> {
    let is_none = || format!("{} is no number", quoted(text));
    let (is_negative, rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] | rest => (false, rest),
    };
    let (mut digits, mut count, mut decimals, mut seen) = (0_i128, 0, 0_i64, false);
    let mut has_point = false;
    let mut rest = rest;
    while let [first, after @ ..] = rest {
        match first {
            b'0'..=b'9' => {
                digits = digits.saturating_mul(10).saturating_add(i128::from(first - b'0'));
                count += u32::from(digits > 0);
                decimals += i64::from(has_point);
                seen = true;
            }
            b'.' if !has_point => has_point = true,
            _ => break,
        }
        rest = after;
    }
    let exponent = match rest {
        [] => 0,
        [b'e' | b'E', exponent @ ..] => exponent_of(exponent).ok_or_else(is_none)?,
        _ => return Err(is_none()),
    };
    if !seen {
        return Err(is_none());
    }
    if count > DIGITS {
        return Err(format!("{} has more than {DIGITS} digits", quoted(text)));
    }
    let digits = if is_negative { -digits } else { digits };
    let mut number = Number { digits, decimals: 0 };
    match decimals - exponent {
        behind @ 0.. => number.decimals = u32::try_from(behind).unwrap_or(u32::MAX),
        above => {
            let power = u32::try_from(-above).ok().and_then(|power| 10_i128.checked_pow(power));
            let whole = power.and_then(|power| digits.checked_mul(power));
            number.digits = whole.ok_or_else(|| format!("{} is beyond 64 bits", quoted(text)))?;
        }
    }
    // Zeros at the end ask for no room.
    while number.decimals > 0 && number.digits % 10 == 0 {
        (number.digits, number.decimals) =
            (number.digits / 10, if number.digits == 0 { 0 } else { number.decimals - 1 });
    }
    let whole = 10_i128.checked_pow(number.decimals.min(DIGITS)).map_or(0, |power| number.digits / power);
    if i64::try_from(whole).is_err() && u64::try_from(whole).is_err() {
        return Err(format!("{} is beyond 64 bits", quoted(text)));
    }
    Ok(number)
}

/// A whole number of few digits.
fn exponent_of(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    let size = short(digits).filter(|size| *size < 10_000)?;
    Some(if text.starts_with(b"-") { -size } else { size })
}

/// Nanoseconds of a unit that is written as a fraction of a second, `1/10000000`, or as decimal seconds, `1e-7`.
///
/// # Errors
/// A sentence that says what would be right.
pub fn unit_ns(text: &str) -> Result<f64, String> {
    let wrong = || "a unit is a fraction of a second, as 1/10000000, or decimal seconds, as 1e-7".to_owned();
    let part = |text: &str| {
        let Number { digits, decimals } = number(text.trim().as_bytes()).ok()?;
        (digits > 0).then(|| (digits as f64, 10f64.powi(decimals.min(400) as i32)))
    };
    let (above, below) = text.split_once('/').unwrap_or((text, "1"));
    let ((above, shrunk), (below, grown)) = (part(above).ok_or_else(wrong)?, part(below).ok_or_else(wrong)?);
    let ns = above * grown * 1e9 / (below * shrunk);
    // From a nanosecond's last decimal to three hundred years.
    (10f64.powi(-(MOST_DECIMALS as i32))..=1e19).contains(&ns).then_some(ns).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_number_keeps_all_its_digits() {
        for (text, digits, decimals) in [
            ("0", 0, 0),
            ("-0.00", 0, 0),
            ("18446744073709551615", i128::from(u64::MAX), 0),
            ("-9223372036854775808", i128::from(i64::MIN), 0),
            ("+007", 7, 0),
            ("1700000000.123456789", 1_700_000_000_123_456_789, 9),
            ("1.5e-07", 15, 8),
            ("2.50E+3", 2500, 0),
            (".5", 5, 1),
            ("5.", 5, 0),
            ("1e-500", 1, 500),
        ] {
            assert_eq!(number(text.as_bytes()), Ok(Number { digits, decimals }), "{text}");
        }
        for (text, why) in [
            ("18446744073709551616", "beyond 64 bits"),
            ("-9223372036854775809", "beyond 64 bits"),
            ("1e20", "beyond 64 bits"),
            ("1e9999", "beyond 64 bits"),
            ("0.1234567890123456789012345678901234567", "more than 36 digits"),
            ("nan", "is no number"),
            ("inf", "is no number"),
            ("", "is no number"),
            (".", "is no number"),
            ("-", "is no number"),
            ("1.2.3", "is no number"),
            ("1e", "is no number"),
            ("0x10", "is no number"),
            ("1_000", "is no number"),
        ] {
            let said = number(text.as_bytes()).unwrap_err();
            assert!(said.contains(why), "{text}: {said}");
        }
    }

    #[test]
    fn a_unit_is_a_fraction_or_decimal_seconds() {
        for (text, ns) in [("1/10000000", 100.0), ("1e-7", 100.0), ("0.0000001", 100.0), ("1", 1e9), ("1/3", 1e9 / 3.0)]
        {
            assert_eq!(unit_ns(text), Ok(ns), "{text}");
        }
        for text in ["", "0", "-1", "1/0", "1/2/3", "x", "100ns", "1e-400", "1e400"] {
            assert!(unit_ns(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn whole_numbers_are_themselves(value: i64, other: u64) {
            prop_assert_eq!(number(value.to_string().as_bytes()).map(|number| number.digits), Ok(value.into()));
            prop_assert_eq!(number(other.to_string().as_bytes()).map(|number| number.digits), Ok(other.into()));
        }

        #[test]
        fn no_text_panics(text in "[0-9eE.+/-]{0,60}", bytes: Vec<u8>) {
            let _ = (number(text.as_bytes()), number(&bytes), unit_ns(&text));
        }
    }
}
