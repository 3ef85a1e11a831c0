//! What a line of text is.

use super::number::number;
use super::quoted;
use super::table::Table;

/// How the lines of a text are to be read.
#[derive(Debug, Clone)]
pub(super) enum Lines {
    /// A label and a value.
    Labelled,
    /// A value.
    Values,
    /// Columns.
    Columns(Table),
}

impl Lines {
    /// By the first line that is not empty and no remark. `column`: of CSV, the one with the values.
    pub(super) fn of_first(line: &[u8], is_csv: Option<bool>, column: Option<&str>) -> Result<Self, String> {
        let words = words(line).count();
        let separator = [b',', b';', b'\t'].into_iter().find(|separator| line.contains(separator));
        let is_sample = words == 2 && words_of(line).is_some_and(|(_, value)| number(value).is_ok());
        let is_value = words == 1 && number(line.trim_ascii()).is_ok();
        let looks_csv = !is_sample && !is_value && (separator.is_some() || words == 1);
        if is_csv.unwrap_or(looks_csv || column.is_some()) {
            Ok(Self::Columns(Table::of_head(line, separator.unwrap_or(b','), column)?))
        } else if words == 1 {
            Ok(Self::Values)
        } else {
            Ok(Self::Labelled)
        }
    }
}

/// What stands between blanks.
fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

fn words_of(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut words = words(line);
    Some((words.next()?, words.next()?)).filter(|_| words.next().is_none())
}

/// The label and the value of a line.
pub(super) fn labelled(line: &[u8]) -> Result<(&[u8], &[u8]), String> {
    words_of(line).ok_or_else(|| match words(line).count() {
        1 => format!("{} is one word; a line is a label and a value", quoted(line)),
        _ => format!("{} is more than a label and a value; a label has no blanks", quoted(line)),
    })
}
