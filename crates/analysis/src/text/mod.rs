//! Figures with their units, counts and lists, as running text has them; in `number`, figures as tables have them; in
//! `date`, moments; in `nearest`, what was meant by a mistyped name.

pub mod date;
pub mod nearest;
pub mod number;

use std::borrow::Borrow;

use crate::record::Cost;
use crate::resolution::Resolution;

/// `value` with so many significant digits, trailing zeros dropped.
fn significant(value: f64, digits: i32) -> String {
    // By way of text, which is the same on every machine, as a library's logarithm need not be.
    let exponent: i32 = format!("{value:e}").split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    // Past 17 places an f64 has nothing more to say.
    let places = (digits - 1 - exponent).clamp(0, 17) as usize;
    trimmed(&format!("{value:.places$}")).into()
}

/// A decimal fraction without the zeros at its end.
pub fn trimmed(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

/// The unit that suits a length of time, in ns, and its name.
pub fn unit(ns: f64) -> (f64, &'static str) {
    match ns.abs() {
        size if size < 1e3 => (1.0, "ns"),
        size if size < 1e6 => (1e3, "µs"),
        size if size < 1e9 => (1e6, "ms"),
        _ => (1e9, "s"),
    }
}

/// A length of time with so many significant digits, or `otherwise` where it is no number.
fn in_unit(ns: f64, digits: i32, otherwise: &str) -> String {
    let (scale, unit) = unit(ns);
    if ns.is_finite() { format!("{} {unit}", significant(ns / scale, digits)) } else { otherwise.into() }
}

/// A cost, a size or a length: three digits, as the measurement carries no more.
pub fn time(ns: f64) -> String {
    in_unit(ns, 3, "an unknown time")
}

/// A half width: two digits.
pub fn rough_time(ns: f64) -> String {
    in_unit(ns, 2, "?")
}

/// The same as [`time`] with a fourth digit: of a value that is known so well, for a column.
pub fn fine_time(ns: f64) -> String {
    in_unit(ns, 4, "?")
}

/// What a read costs, with the digits that its interval allows and its ±; nothing where that leaves none.
pub fn cost(cost: &Cost) -> Option<String> {
    Some(time_within(cost.median, cost.certain()?))
}

/// A length of time and half the width of its interval, in the unit of the one.
pub fn time_within(ns: f64, half_ns: f64) -> String {
    let (scale, unit) = unit(ns);
    format!("{} {unit}", number::with_uncertainty(ns / scale, half_ns / scale, 2))
}

/// A rate or a correction with its sign and half the width of its interval: no more decimals than these.
pub fn signed_within(value: f64, half: f64, decimals: usize) -> String {
    let size = number::with_uncertainty(value.abs(), half, decimals);
    let is_nothing = !size.split('±').next().is_some_and(|value| value.contains(|c| matches!(c, '1'..='9')));
    format!("{}{size}", if is_nothing { "" } else { sign(value) })
}

/// What a clock resolves, with its unit: `0.769 ns`, `4 ms`, `≤ 30 ns`.
pub fn resolution(resolution: Resolution) -> String {
    match resolution {
        Resolution::Of { ns, half_width_ns } => {
            let (scale, unit) = unit(ns);
            let number = fine(ns / scale, half_width_ns / scale);
            // From a microsecond on nobody asks by how little it misses a round one.
            format!("{} {unit}", if scale > 1.0 { trimmed(&number) } else { &number })
        }
        Resolution::AtMost(ns) => {
            let (scale, unit) = unit(ns);
            format!("≤ {} {unit}", number::limit(ns / scale))
        }
    }
}

/// Three digits, or as many as the uncertainty allows: without zeros at the end where the value may be round, with them
/// where they tell it from a round one.
fn fine(value: f64, half_width: f64) -> String {
    let decimals = if value > 0.0 && value < 1e-3 {
        // Three digits here as well: as decimals they would be noughts.
        (2.0 - libm::log10(value).floor()).min(17.0) as usize
    } else if value < 1.0 {
        3
    } else if value < 10.0 {
        2
    } else {
        usize::from(value < 100.0)
    };
    let text = number::measured(value, half_width, decimals);
    let rounded: f64 = text.parse().unwrap_or(f64::NAN);
    // Some 15 digits are what a value keeps through its units.
    let may_be_round = (rounded - value).abs() <= half_width + 1e-12 * value;
    if may_be_round { trimmed(&text).into() } else { text }
}

/// As [`time`], with its sign.
pub fn signed_time(ns: f64) -> String {
    format!("{}{}", sign(ns), time(ns.abs()))
}

/// A rate or a correction with its sign: three digits, or two places where that is more.
pub fn signed(value: f64) -> String {
    if !value.is_finite() {
        return "unknown".into();
    }
    let size = value.abs();
    let text = if size >= 1.0 { format!("{size:.2}") } else { significant(size, 3) };
    format!("{}{}", sign(value), trimmed(&text))
}

/// Bounds on a difference of rates, ppb, of 3 digits and no narrower than they are: `−76.9 to +91.3 ppb`, from 10,000 on
/// in ppm.
pub fn rates(low_ppb: f64, high_ppb: f64) -> String {
    let largest = low_ppb.abs().max(high_ppb.abs());
    let (scale, unit) = if largest < 1e4 { (1.0, "ppb") } else { (1e3, "ppm") };
    let digits = 2 - libm::log10(largest / scale).floor().clamp(-2.0, 2.0) as i32;
    let place = 10f64.powi(-digits);
    let said = |ppb: f64, outward: fn(f64) -> f64| {
        let value = outward(ppb / scale / place) * place;
        format!("{}{:.*}", sign(value), digits as usize, value.abs())
    };
    format!("{} to {} {unit}", said(low_ppb, f64::floor), said(high_ppb, f64::ceil))
}

/// The sign that stands before a number's size: `+`, `−`, or nothing before 0.
pub fn sign(value: f64) -> &'static str {
    match value {
        v if v > 0.0 => "+",
        v if v < 0.0 => "−",
        _ => "",
    }
}

/// A frequency in whole Hz, digits grouped.
pub fn hertz(hz: f64) -> String {
    grouped(hz.round() as u64)
}

/// A ratio or a rate without a unit.
pub fn number(value: f64) -> String {
    if value.is_finite() { significant(value, 3) } else { "unknown".into() }
}

/// A share of 0 to 1 as per cent.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent.is_finite() { format!("{} %", significant(percent, 2)) } else { "an unknown share".into() }
}

/// A count with its noun, in the plural where that is due, digits grouped by thousands.
pub fn count(n: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(n), if n == 1 { "" } else { "s" })
}

/// A whole number, its thousands apart by a comma, where no line is broken.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok());
    groups.collect::<Vec<_>>().join(",")
}

/// `a`, `a and b`, `a, b and c`.
pub fn list<S: Borrow<str>>(items: &[S]) -> String {
    match items {
        [] => String::new(),
        [one] => one.borrow().into(),
        [head @ .., last] => format!("{} and {}", head.join(", "), last.borrow()),
    }
}

/// The first `most` items, and how many more there are.
pub fn shortened<S: Borrow<str>>(items: &[S], most: usize) -> String {
    match items.split_at_checked(most) {
        Some((head, more @ [_, ..])) => format!("{} and {} more", head.join(", "), more.len()),
        _ => list(items),
    }
}

/// Puts `who` beside those of whom the same is said, or at the end by itself: what is said, in its order, with all of
/// whom it is said.
pub fn gather<T: PartialEq, W>(said: &mut Vec<(T, Vec<W>)>, what: T, who: W) {
    match said.iter_mut().find(|(known, _)| *known == what) {
        Some((_, all)) => all.push(who),
        None => said.push((what, vec![who])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_the_unit_and_the_digits_that_suit_them() {
        for (said, right) in [
            (time(23.314), "23.3 ns"),
            (time(244.0), "244 ns"),
            (time(1234.0), "1.23 µs"),
            (time(4e6), "4 ms"),
            (time(2.5e9), "2.5 s"),
            (time(12_345.6e9), "12346 s"),
            (time(9.999), "10 ns"),
            (time(0.0), "0 ns"),
            (time(f64::NAN), "an unknown time"),
            (cost(&Cost { median: 18.114, low: 18.09, high: 18.14, ..Cost::default() }).unwrap(), "18.11 ± 0.03 ns"),
            (cost(&Cost { median: 3417.0, low: 3300.0, high: 3500.0, ..Cost::default() }).unwrap(), "3.42 ± 0.12 µs"),
            (resolution(Resolution::Of { ns: 0.769_231, half_width_ns: 1e-5 }), "0.769 ns"),
            (resolution(Resolution::Of { ns: 0.000_123_4, half_width_ns: 0.0 }), "0.000123 ns"),
            (resolution(Resolution::Of { ns: 0.000_998_7, half_width_ns: 1e-9 }), "0.000999 ns"),
            (resolution(Resolution::Of { ns: 0.000_5, half_width_ns: 0.000_03 }), "0.0005 ns"),
            (resolution(Resolution::Of { ns: 0.001, half_width_ns: 0.0 }), "0.001 ns"),
            (resolution(Resolution::Of { ns: 10.018_7, half_width_ns: 1e-4 }), "10.0 ns"),
            (resolution(Resolution::Of { ns: 69.841_279, half_width_ns: 0.0 }), "69.8 ns"),
            (resolution(Resolution::Of { ns: 279.365, half_width_ns: 3.0 }), "279 ns"),
            (resolution(Resolution::Of { ns: 4_000_003.0, half_width_ns: 40.0 }), "4 ms"),
            (resolution(Resolution::Of { ns: 1000.0, half_width_ns: 0.0 }), "1 µs"),
            (resolution(Resolution::AtMost(4.41)), "≤ 4.5 ns"),
            (percent(0.0312), "3.1 %"),
            (signed_time(-1e7), "−10 ms"),
            (signed_time(1e9), "+1 s"),
            (signed(-500.254), "−500.25"),
            (signed(0.4532), "+0.453"),
            (signed(0.0), "0"),
            (signed(f64::NAN), "unknown"),
            (hertz(2_596_145_000.6), "2,596,145,001"),
            (count(1, "read"), "1 read"),
            (count(1_234_567, "read"), "1,234,567 reads"),
            (list(&["a", "b", "c"]), "a, b and c"),
            (shortened(&["a", "b", "c"], 2), "a, b and 1 more"),
            (shortened(&["a", "b"], 2), "a and b"),
        ] {
            assert_eq!(said, right);
        }
    }

    #[test]
    fn huge_and_tiny_figures_do_no_harm() {
        for value in [f64::MAX, f64::MIN_POSITIVE, 1e-300, -1e300, f64::INFINITY] {
            assert!(!time(value).is_empty() && !percent(value).is_empty());
            assert!(!resolution(Resolution::AtMost(value)).is_empty());
            assert!(!resolution(Resolution::Of { ns: value, half_width_ns: value }).is_empty());
        }
    }
}
