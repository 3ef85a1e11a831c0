//! What other programs write of clocks, read from bytes: text of 'label value' lines, what a probe writes (a superset of it), CSV
//! with a header, and 64-bit numbers. docs/samples.md tells what each is. No file is opened here.
//!
//! * `reader` takes the bytes in pieces of any size.
//! * `line` tells what a line of text is; `head` knows the lines of a probe that begin with '#'; `table` the columns of CSV.
//! * `number` reads decimal numbers without losing a digit.
//! * `labels` keeps the readings of each label.

mod head;
mod labels;
mod line;
mod number;
mod reader;
mod table;
#[cfg(test)]
mod tests;

use std::fmt;

pub(crate) use labels::is_unit_assumed;
pub use number::unit_ns;
pub use reader::Reader;

/// How samples are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// 'label value' lines, or values alone, one a line; also what a probe writes.
    Text,
    /// Comma, semicolon or tab between columns, which the first line names.
    Csv,
    /// Values of 64 bits, without sign, the lowest byte first.
    U64le,
}

/// How samples are to be taken.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// How they are written; `None`: text or CSV, by the first line.
    pub format: Option<Format>,
    /// Nanoseconds a unit of the values, whatever the file says; `None`: what it says, else a nanosecond.
    pub unit_ns: Option<f64>,
    /// The column of a CSV file that has the values.
    pub column: Option<String>,
    /// The label whose samples are wanted; of samples without labels, their name.
    pub label: Option<String>,
    /// The values are differences of adjacent readings.
    pub are_differences: bool,
}

/// Where input is bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In this line, from 1.
    Line(u64),
    /// At this byte, from 0.
    Byte(u64),
    /// In all of it.
    Whole,
}

/// Bad input: where, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bad {
    /// Where.
    pub place: Place,
    /// Why, as a sentence without its end.
    pub why: String,
}

impl fmt::Display for Bad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::Line(line) => write!(f, "line {line}: {}", self.why),
            Place::Byte(byte) => write!(f, "byte {byte}: {}", self.why),
            Place::Whole => f.write_str(&self.why),
        }
    }
}

impl std::error::Error for Bad {}

/// Text that is safe to show: a terminal would obey its control characters.
fn printable(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}

/// Whether it can be text, its last character perhaps cut.
fn is_text(bytes: &[u8]) -> bool {
    !bytes.contains(&0) && std::str::from_utf8(bytes).map_or_else(|wrong| wrong.error_len().is_none(), |_| true)
}

/// So much of what was written as a message has room for.
fn quoted(text: &[u8]) -> String {
    const MOST: usize = 40;
    let text = String::from_utf8_lossy(text);
    let shown: String = text.chars().take(MOST).flat_map(char::escape_debug).collect();
    if text.chars().count() > MOST { format!("'{shown}…'") } else { format!("'{shown}'") }
}
