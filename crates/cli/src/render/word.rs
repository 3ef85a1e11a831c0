//! The record's own words.

use serde::Serialize;

/// The word by which a record names a value, as in `kebab-case`.
pub(super) fn word<T: Serialize>(value: T) -> String {
    serde_json::to_value(value).ok().and_then(|value| Some(value.as_str()?.to_owned())).unwrap_or_default()
}
