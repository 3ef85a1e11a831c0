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
