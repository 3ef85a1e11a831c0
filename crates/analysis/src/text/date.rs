//! Moments as RFC 3339 has them.

/// UTC to the millisecond, of nanoseconds since 1970; leap seconds do not count.
pub fn utc(since_1970_ns: u64) -> String {
    let (s, ms) = (since_1970_ns / 1_000_000_000, since_1970_ns / 1_000_000 % 1000);
    let day = day((s / 86_400) as i32);
    let of_day = s % 86_400;
    let (h, m, s) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{day}T{h:02}:{m:02}:{s:02}.{ms:03}Z")
}

/// The date, of days since 1970's first; in the Gregorian calendar, also before there was one. By Howard Hinnant's
/// days-to-civil algorithm: years begin in March, so that a leap day ends one.
pub fn day(since_1970: i32) -> String {
    // Since 0000-03-01.
    let days = i64::from(since_1970) + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = era * 400 + year + next;
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_that_are_known() {
        for (s, date) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399, "2000-02-28T23:59:59.000Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"),
            (951_868_800, "2000-03-01T00:00:00.000Z"),
            (1_234_567_890, "2009-02-13T23:31:30.000Z"),
            (4_102_444_799, "2099-12-31T23:59:59.000Z"),
        ] {
            assert_eq!(utc(s * 1_000_000_000), date);
        }
        assert_eq!(utc(1_234_567_890_123_999_999), "2009-02-13T23:31:30.123Z");
        assert!(!utc(u64::MAX).is_empty());
        let days = [(0, "1970-01-01"), (-1, "1969-12-31"), (-25_567, "1900-01-01"), (-719_162, "0001-01-01")];
        assert!(days.iter().all(|(days, date)| day(*days) == *date));
        assert!(!day(i32::MIN).is_empty() && !day(i32::MAX).is_empty());
    }
}
