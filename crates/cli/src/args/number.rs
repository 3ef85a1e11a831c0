//! Numbers as people write them: `10000`, `10k`, `1e6`, `1_000_000`, `1,000,000`.

use clockscope_engine::machine::cpu_list;

/// Reads a number of reads, two or more; an error is a sentence that says what would be right.
pub(super) fn reads(text: &str) -> Result<u64, String> {
    let wanted =
        || "a number of reads is a whole number from 2 to 2^64, as in 10000, 10k, 1M, 1e6 or 1_000_000".to_owned();
    whole(text.trim()).filter(|reads| *reads >= 2).ok_or_else(wanted)
}

/// Reads a seed.
pub(super) fn seed(text: &str) -> Result<u64, String> {
    whole(text.trim()).ok_or_else(|| "a seed is a whole number, as in 42".to_owned())
}

/// Reads the number of one CPU.
pub(super) fn cpu(text: &str) -> Result<u32, String> {
    let text = text.trim();
    text.parse().map_err(|_| match cpu_list(text) {
        Some(_) => format!("one CPU's number is wanted here, as in 3; `clockscope skew --cpus {text}` takes a list"),
        None => "a CPU is a number, as in 3".to_owned(),
    })
}

/// Reads a share, `2%` or `0.02`.
pub fn share(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let (number, unit) = text.strip_suffix('%').map_or((text, 1.0), |number| (number.trim(), 100.0));
    let share = number.parse::<f64>().ok().map(|share| share / unit);
    // A bare 2 may be meant as 2 % or as twice.
    let is_share = |share: &f64| share.is_finite() && *share >= 0.0 && (unit > 1.0 || *share < 1.0);
    share.filter(is_share).ok_or_else(|| "a share is per cent or less than 1, as in 2% or 0.02".to_owned())
}

/// A whole number that fits, or nothing: rather none than one that is only nearly the one meant.
fn whole(text: &str) -> Option<u64> {
    let suffix = text.chars().last()?.to_ascii_lowercase();
    let power =
        [('k', 3), ('m', 6), ('g', 9)].into_iter().find_map(|(letter, power)| (letter == suffix).then_some(power));
    let text = if power.is_some() { &text[..text.len() - 1] } else { text };
    let (text, exponent) = match text.split_once(['e', 'E']) {
        None => (text, 0),
        Some((text, exponent)) => (text, exponent.parse::<u32>().ok()?),
    };
    let (before, after) = text.split_once('.').unwrap_or((text, ""));
    // What stands behind the point is taken into the whole number, as far as the power of ten reaches.
    let after = after.trim_end_matches('0');
    let power = (power.unwrap_or(0) + exponent).checked_sub(u32::try_from(after.len()).ok()?)?;
    let digits = ungrouped(before)? + after;
    if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    digits.parse::<u64>().ok()?.checked_mul(10_u64.checked_pow(power)?)
}

/// The digits without what stands between groups of three.
fn ungrouped(digits: &str) -> Option<String> {
    let mut groups = digits.split(['_', ',']);
    let first = groups.next()?;
    let rest: Vec<&str> = groups.collect();
    let grouped = rest.is_empty() || ((1..=3).contains(&first.len()) && rest.iter().all(|group| group.len() == 3));
    grouped.then(|| first.to_owned() + &rest.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_reads_as_people_write_them() {
        for (text, count) in [
            ("2", 2),
            ("10000", 10_000),
            ("10k", 10_000),
            ("10K", 10_000),
            ("1M", 1_000_000),
            ("1m", 1_000_000),
            ("1.5M", 1_500_000),
            ("2G", 2_000_000_000),
            ("1e6", 1_000_000),
            ("1E+6", 1_000_000),
            ("2.50e3", 2_500),
            ("1_000_000", 1_000_000),
            ("1,000,000", 1_000_000),
            (" 12,000 ", 12_000),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(reads(text), Ok(count), "{text}");
        }
        let none = [
            "", "0", "1", "-5", "+5", "k", "e", "e6", "1e", "1e-3", "1.5", "1.0005k", "1,5k", "1,00", "10,0000", "1__0",
        ];
        let more = [
            "many",
            "inf",
            "nan",
            "0x10",
            "1 000",
            "1kk",
            "1e99",
            "1e999999999999",
            "18446744073709551616",
            "٣٣",
            "5é",
        ];
        for text in none.into_iter().chain(more) {
            assert!(reads(text).unwrap_err().contains("as in 10000, 10k"), "{text}");
        }
        assert_eq!(seed("0"), Ok(0));
        assert!(seed("x").is_err());
    }

    #[test]
    fn shares_are_per_cent_or_less_than_one() {
        for (text, wanted) in [("2%", 0.02), ("0.5 %", 0.005), ("0.02", 0.02), ("0", 0.0), ("250%", 2.5)] {
            assert_eq!(share(text), Ok(wanted), "{text}");
        }
        for text in ["2", "-1%", "nan", "inf%", "%", ""] {
            assert!(share(text).unwrap_err().contains("2% or 0.02"), "{text}");
        }
    }

    #[test]
    fn one_cpu_and_not_a_list() {
        assert_eq!((cpu("0"), cpu(" 12 ")), (Ok(0), Ok(12)));
        for (text, hint) in [
            ("0-1", "`clockscope skew --cpus 0-1` takes a list"),
            ("0,2", "one CPU's number"),
            ("one", "a CPU is a number, as in 3"),
            ("-1", "as in 3"),
            ("", "as in 3"),
        ] {
            assert!(cpu(text).unwrap_err().contains(hint), "{text}");
        }
    }
}
