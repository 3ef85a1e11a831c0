//! Durations as people write them: `1s`, `500ms`, `2m`, or a bare number of seconds.

use std::time::Duration;

/// Longest run that can be asked for: a day. More is a slip of the finger.
const LONGEST_S: f64 = 86_400.0;

/// Reads a duration greater than zero and at most a day; an error is a sentence that says what would be right.
pub fn parse(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-')).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let scale = match unit.trim() {
        "" | "s" | "sec" => 1.0,
        "ms" => 1e-3,
        "ns" => 1e-9,
        "us" | "µs" | "μs" => 1e-6,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        other => return Err(format!("'{other}' is not a unit of time; use ns, us, ms, s, m or h, as in 500ms")),
    };
    let number: f64 =
        number.parse().map_err(|_| "a duration is a number and a unit, as in 500ms, 2s or 1.5".to_owned())?;
    let seconds = number * scale;
    // What is less than half a nanosecond is none.
    let found = (seconds > 0.0 && seconds <= LONGEST_S).then(|| Duration::from_secs_f64(seconds));
    found
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| "a duration is more than zero and at most a day".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_bare_seconds() {
        for (text, ms) in [("1s", 1000), ("500ms", 500), ("2", 2000), ("1.5", 1500), ("2m", 120_000), (" 3 s", 3000)] {
            assert_eq!(parse(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        assert_eq!(parse("250us"), Ok(Duration::from_micros(250)));
        assert_eq!(parse("1ns"), Ok(Duration::from_nanos(1)));
        assert!(parse("1x").is_err_and(|why| why.contains("use ns, us, ms")));
        for text in ["", "s", "0", "-1s", "1x", "1..2", "nan", "inf", "1e400", "25h", "0.1ns", "1 000 000 000"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
