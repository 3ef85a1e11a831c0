//! As text.

use core::fmt;

use super::UtcInstant;

const DAY_S: i64 = 86_400;

/// Year, month and day, `days` after 1970-01-01 in the Gregorian calendar. (Howard Hinnant, 'chrono-Compatible Low-Level
/// Date Algorithms', `civil_from_days`.)
fn date(days: i64) -> (i64, i64, i64) {
    // From 0000-03-01 on, in eras of 400 years.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (year + era * 400 + next, month, day)
}

impl fmt::Display for UtcInstant {
    /// As RFC 3339 has it: `2026-11-22T09:52:17.460616123Z`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ns = self.as_unix_nanos();
        let (seconds, ns) = (ns.div_euclid(1_000_000_000), ns.rem_euclid(1_000_000_000));
        let (year, month, day) = date(seconds.div_euclid(DAY_S));
        let second = seconds.rem_euclid(DAY_S);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ns:09}Z")
    }
}

impl fmt::Debug for UtcInstant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UtcInstant({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        // By `date -u -d @SECONDS`.
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00"),
            (951_782_400, "2000-02-29T00:00:00"),
            (1_709_251_199, "2024-02-29T23:59:59"),
            (4_107_542_400, "2100-03-01T00:00:00"),
            (-1, "1969-12-31T23:59:59"),
            (-2_203_891_200, "1900-03-01T00:00:00"),
        ] {
            assert_eq!(UtcInstant::from_unix_nanos(seconds * 1_000_000_000).to_string(), format!("{text}.000000000Z"));
        }
        assert_eq!(UtcInstant::from_unix_nanos(-1).to_string(), "1969-12-31T23:59:59.999999999Z");
        assert_eq!(UtcInstant::from_unix_nanos(i64::MAX).to_string(), "2262-04-11T23:47:16.854775807Z");
        assert_eq!(UtcInstant::from_unix_nanos(i64::MIN).to_string(), "1677-09-21T00:12:43.145224192Z");
    }
}
