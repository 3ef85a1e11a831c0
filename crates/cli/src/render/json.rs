//! JSON: the engine's types as they are, indented.

use serde::Serialize;

/// `value` as indented JSON with a line end.
///
/// # Errors
/// Where a map's key is no string; the record's are.
pub fn json<T: Serialize>(value: &T) -> serde_json::Result<String> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    Ok(text)
}

/// The word by which a record names a value, as in `kebab-case`.
pub(super) fn word<T: Serialize>(value: T) -> String {
    serde_json::to_value(value).ok().and_then(|value| Some(value.as_str()?.to_owned())).unwrap_or_default()
}
