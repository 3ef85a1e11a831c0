//! serde: an [`Instant`] as its nanoseconds, an `i64`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Instant;

/// As [`Instant::as_nanos`]: nanoseconds of the system's monotonic clock. Of use to programs on the same system until it is
/// started anew; not on another one, nor later. For that, keep wall time beside it.
impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(self.as_nanos())
    }
}

/// As [`Instant::from_nanos`]. Any `i64` is an instant; nothing tells that it is one of another system, or of a former start.
impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        i64::deserialize(deserializer).map(Self::from_nanos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comes_back_as_it_was() {
        for ns in [i64::MIN + 1, -5, 0, 1_500_000_000, i64::MAX] {
            let text = serde_json::to_string(&Instant::from_nanos(ns)).expect("a number");
            assert_eq!(text, ns.to_string());
            assert_eq!(serde_json::from_str::<Instant>(&text).expect("a number"), Instant::from_nanos(ns));
        }
        for not_one in ["1.5", "\"1\"", "9223372036854775808", "null"] {
            assert!(serde_json::from_str::<Instant>(not_one).is_err(), "{not_one}");
        }
    }
}
