//! Figures with their units, in words that a finding can carry.

use crate::record::Clock;

/// `value` with so many significant digits, trailing zeros dropped.
fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let magnitude = value.abs().log10().floor();
    // Past 17 places an f64 has nothing more to say.
    let places = (digits as f64 - 1.0 - magnitude).clamp(0.0, 17.0) as usize;
    let text = format!("{value:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

/// A duration given in ns, in the unit that suits it, with so many significant digits.
fn duration(ns: f64, digits: usize) -> String {
    let (scale, unit) = match ns.abs() {
        a if a < 1e3 => (1.0, "ns"),
        a if a < 1e6 => (1e3, "µs"),
        a if a < 1e9 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    format!("{} {unit}", significant(ns / scale, digits))
}

/// A cost, a size or a length: three digits, as the measurement carries no more.
pub(super) fn time(ns: f64) -> String {
    if ns.is_finite() { duration(ns, 3) } else { "an unknown time".into() }
}

/// As [`time`], with its sign.
pub(super) fn signed_time(ns: f64) -> String {
    format!("{}{}", sign(ns), time(ns.abs()))
}

/// A rate or a correction with its sign: three digits, or two places where that is more.
pub(super) fn signed(value: f64) -> String {
    if !value.is_finite() {
        return "unknown".into();
    }
    let digits = if value.abs() >= 1.0 { value.abs().log10().floor() as usize + 3 } else { 3 };
    format!("{}{}", sign(value), significant(value.abs(), digits))
}

fn sign(value: f64) -> &'static str {
    match value {
        v if v > 0.0 => "+",
        v if v < 0.0 => "−",
        _ => "",
    }
}

/// A frequency in whole Hz, digits grouped.
pub(super) fn hertz(hz: f64) -> String {
    grouped(hz.round() as u64)
}

/// A quantum: five digits, as a fitted lattice carries them.
pub(super) fn step(ns: f64) -> String {
    if ns.is_finite() { duration(ns, 5) } else { "an unknown step".into() }
}

/// A ratio or a rate without a unit.
pub(super) fn number(value: f64) -> String {
    if value.is_finite() { significant(value, 3) } else { "unknown".into() }
}

/// A share of 0 to 1 as per cent.
pub(super) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent.is_finite() { format!("{} %", significant(percent, 2)) } else { "an unknown share".into() }
}

/// A count with its noun, in the plural where that is due, digits grouped by thousands.
pub(super) fn count(n: u64, noun: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(n))
}

/// A whole number, digits grouped by thousands.
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn list<S: AsRef<str>>(items: &[S]) -> String {
    match items {
        [] => String::new(),
        [one] => one.as_ref().into(),
        [head @ .., last] => {
            let head: Vec<&str> = head.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", head.join(", "), last.as_ref())
        }
    }
}

/// The first `most` items, and how many more there are.
pub(super) fn shortened(items: &[String], most: usize) -> String {
    if items.len() <= most {
        return list(items);
    }
    format!("{} and {} more", items[..most].join(", "), items.len() - most)
}

/// The ids of these clocks, for a finding's `clocks`.
pub(super) fn ids(clocks: &[&Clock]) -> Vec<String> {
    clocks.iter().map(|c| c.id.clone()).collect()
}

/// Ids for a title: the first two, and how many more.
pub(super) fn names(clocks: &[&Clock]) -> String {
    shortened(&ids(clocks), 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_the_unit_and_the_digits_that_suit_them() {
        assert_eq!(time(23.314), "23.3 ns");
        assert_eq!(time(244.0), "244 ns");
        assert_eq!(time(1234.0), "1.23 µs");
        assert_eq!(time(4e6), "4 ms");
        assert_eq!(time(2.5e9), "2.5 s");
        assert_eq!(time(12_345.6e9), "12346 s");
        assert_eq!(time(0.0), "0 ns");
        assert_eq!(step(10.015_2), "10.015 ns");
        assert_eq!(step(69.841_279), "69.841 ns");
        assert_eq!(percent(0.0312), "3.1 %");
        assert_eq!(time(f64::NAN), "an unknown time");
        assert_eq!((signed_time(-1e7).as_str(), signed_time(1e9).as_str()), ("−10 ms", "+1 s"));
        assert_eq!((signed(-500.254).as_str(), signed(0.4532).as_str()), ("−500.25", "+0.453"));
        assert_eq!((signed(0.0).as_str(), signed(f64::NAN).as_str()), ("0", "unknown"));
        assert_eq!(hertz(2_596_145_000.6), "2 596 145 001");
    }

    #[test]
    fn huge_and_tiny_figures_do_no_harm() {
        for value in [f64::MAX, f64::MIN_POSITIVE, 1e-300, -1e300, f64::INFINITY] {
            assert!(!time(value).is_empty() && !step(value).is_empty() && !percent(value).is_empty());
        }
    }

    #[test]
    fn counts_are_grouped_and_lists_are_read_aloud() {
        assert_eq!(count(1, "read"), "1 read");
        assert_eq!(count(1_234_567, "read"), "1 234 567 reads");
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
        assert_eq!(shortened(&["a".into(), "b".into(), "c".into()], 2), "a, b and 1 more");
    }
}
