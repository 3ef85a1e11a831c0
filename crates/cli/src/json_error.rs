//! What is wrong with JSON that can't be read, in words.

use serde_json::error::Category;

use crate::failure::reason;

/// Numbers that JSON has no words for, as Python and JavaScript write them all the same.
const NOT_NUMBERS: [&str; 5] = ["NaN", "nan", "-Infinity", "Infinity", "-inf"];

/// Why JSON can't be read to its end.
pub fn broken(text: &str, error: &serde_json::Error) -> String {
    match error.classify() {
        Category::Eof => format!("ends before its record does: {error}"),
        Category::Io => {
            format!("can't be read: {}", error.io_error_kind().map_or_else(String::new, |k| reason(&k.into())))
        }
        Category::Syntax | Category::Data => match not_a_number(text, error) {
            Some(name) => format!("has {name} at line {}, which is no number of JSON", error.line()),
            None => format!("is no JSON: {error}"),
        },
    }
}

/// What other programs write for a number that is none, if that is where the error is.
fn not_a_number(text: &str, error: &serde_json::Error) -> Option<&'static str> {
    // The error's column is that of the letter that it stopped at, which may be the second.
    let line = text.lines().nth(error.line().checked_sub(1)?)?;
    let at = [1, 2].map(|back| error.column().checked_sub(back).and_then(|from| line.get(from..)));
    NOT_NUMBERS.into_iter().find(|name| at.into_iter().flatten().any(|rest| rest.starts_with(name)))
}
