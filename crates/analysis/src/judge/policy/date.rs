//! The day on which a waiver ends.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};

/// A day of the Gregorian calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// The day of `2026-12-31`, also where a time of day stands behind it; `None` where there is no such day.
    pub fn of(text: &str) -> Option<Self> {
        let (day, rest) = (text.get(..10)?, text.get(10..)?);
        if !(rest.is_empty() || rest.starts_with(['T', 't', ' '])) {
            return None;
        }
        let part = |of: &str| of.bytes().all(|digit| digit.is_ascii_digit()).then(|| of.parse().ok())?;
        let [year, month, day] = day.split('-').map(part).collect::<Option<Vec<u16>>>()?.try_into().ok()?;
        let date = Self { year, month: u8::try_from(month).ok()?, day: u8::try_from(day).ok()? };
        ((1..=12).contains(&date.month) && (1..=date.days()).contains(&date.day)).then_some(date)
    }

    /// How many days its month has.
    fn days(self) -> u8 {
        let leaps = self.year.is_multiple_of(4) && (!self.year.is_multiple_of(100) || self.year.is_multiple_of(400));
        match self.month {
            2 if leaps => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// By this name TOML's readers hand on a date that stands without quotes, as a map of one entry.
const BARE: &str = "$__toml_private_datetime";

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Day;

        impl<'de> Visitor<'de> for Day {
            type Value = Date;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a day, as in 2026-12-31")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Date, E> {
                Date::of(text).ok_or_else(|| E::custom(format!("'{text}' is no day; one is written as in 2026-12-31")))
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Date, M::Error> {
                match map.next_entry::<String, String>()? {
                    Some((key, text)) if key == BARE => self.visit_str(&text),
                    _ => Err(de::Error::invalid_type(de::Unexpected::Map, &self)),
                }
            }
        }

        from.deserialize_any(Day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_that_there_are_and_their_order() {
        for (text, day) in [
            ("2026-12-31", Some("2026-12-31")),
            ("2028-02-29", Some("2028-02-29")),
            ("2000-02-29", Some("2000-02-29")),
            ("2026-12-31T10:00:00Z", Some("2026-12-31")),
            ("2026-02-29", None),
            ("1900-02-29", None),
            ("2026-13-01", None),
            ("2026-00-01", None),
            ("2026-04-31", None),
            ("2026-12-00", None),
            ("2026-12-311", None),
            ("26-12-31", None),
            ("+026-12-31", None),
            ("2026/12/31", None),
            ("2026-12-3ä", None),
            ("", None),
        ] {
            assert_eq!(Date::of(text).map(|day| day.to_string()).as_deref(), day, "{text}");
        }
        assert!(Date::of("2026-12-31") < Date::of("2027-01-01") && Date::of("2026-09-30") < Date::of("2026-10-01"));
    }
}
