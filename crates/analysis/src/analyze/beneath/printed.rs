//! The readings in what a probe wrote.

use super::{Readings, Value};

/// Takes the readings of each label out of a probe's text, in the order of the labels' first lines. Lines that it can't make
/// anything of are left alone.
pub fn printed(text: &[u8]) -> Vec<Readings> {
    let mut labels: Vec<Readings> = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        let Ok(line) = str::from_utf8(line) else { continue };
        let mut words = line.split_ascii_whitespace();
        match (words.next(), words.next()) {
            (Some("#"), Some("clock")) => {
                if let (Some(label), Some(unit_ns)) = (words.next(), words.next().and_then(unit_ns)) {
                    of(&mut labels, label).unit_ns = unit_ns;
                }
            }
            (Some(label), Some(value)) if !label.starts_with('#') => {
                if let Some(value) = number(value) {
                    of(&mut labels, label).values.push(value);
                }
            }
            _ => {}
        }
    }
    labels
}

/// The label's own entry. Its lines come one after the other, as a rule.
fn of<'a>(labels: &'a mut Vec<Readings>, label: &str) -> &'a mut Readings {
    let at = labels.iter().rposition(|known| known.label == label).unwrap_or_else(|| {
        labels.push(Readings { label: label.into(), ..Readings::default() });
        labels.len() - 1
    });
    &mut labels[at]
}

/// Nanoseconds of a fraction of a second or of decimal seconds.
fn unit_ns(text: &str) -> Option<f64> {
    let (above, below) = text.split_once('/').unwrap_or((text, "1"));
    let (above, below): (f64, f64) = (above.parse().ok()?, below.parse().ok()?);
    // First the multiplication, so that 1/1000000000 is 1 exactly.
    let ns = above * 1e9 / below;
    // Of decimal seconds as 1e-7 the product misses the whole nanosecond by a rounding.
    let whole = ns.round();
    Some(if (ns - whole).abs() <= whole * f64::EPSILON { whole } else { ns })
}

/// Digits with a sign and a point, or an exponent.
fn number(text: &str) -> Option<Value> {
    let (text, exponent) = match text.split_once(['e', 'E']) {
        Some((text, exponent)) => (text, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, behind) = text.split_once('.').unwrap_or((text, ""));
    // The sign is in front of the digits, of which there may be none before the point.
    let digits = format!("{whole}{behind}").parse().ok()?;
    let decimals = i64::try_from(behind.len()).ok()? - i64::from(exponent);
    if let Ok(decimals) = u32::try_from(decimals) {
        return Some(Value { digits, decimals });
    }
    let power = 10_i128.checked_pow(u32::try_from(-decimals).ok()?)?;
    Some(Value { digits: digits.checked_mul(power)?, decimals: 0 })
}
