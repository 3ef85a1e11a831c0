//! The columns of CSV.

use super::number::number;
use super::{printable, quoted};

/// Names of the column with the labels.
const LABELS: [&str; 2] = ["label", "clock"];
/// The name of the column with the values, where none is asked for.
const VALUE: &str = "value";

/// Where label and value stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    separator: u8,
    columns: usize,
    value: usize,
    label: Option<usize>,
    /// What the samples are called where no column says it.
    pub(super) name: String,
}

impl Table {
    /// By the header, and the column asked for.
    pub(super) fn of_head(line: &[u8], separator: u8, asked: Option<&str>) -> Result<Self, String> {
        let names: Vec<String> = line
            .split(|byte| *byte == separator)
            .map(|name| String::from_utf8_lossy(bare(name)).into_owned())
            .collect();
        if names.iter().all(|name| number(name.as_bytes()).is_ok()) {
            return Err("there is no header: the first line of CSV names the columns".into());
        }
        let at = |wanted: &str| names.iter().position(|name| name == wanted);
        let label = LABELS.into_iter().find_map(at);
        let others: Vec<usize> = (0..names.len()).filter(|at| Some(*at) != label).collect();
        let named = || printable(names.join(", ").as_bytes());
        let value = match (asked, &others[..]) {
            (Some(asked), _) => at(asked).ok_or_else(|| {
                let asked = printable(asked.as_bytes());
                format!("there is no column '{asked}', only {}", named())
            })?,
            (None, [only]) => *only,
            (None, _) => {
                at(VALUE).ok_or_else(|| format!("which column has the values? Name it by --column: {}", named()))?
            }
        };
        let label = label.filter(|label| *label != value);
        Ok(Self { separator, columns: names.len(), value, label, name: names[value].clone() })
    }

    /// The label, if a column has it, and the value of a row.
    pub(super) fn row<'a>(&self, line: &'a [u8]) -> Result<(Option<&'a [u8]>, &'a [u8]), String> {
        let (mut label, mut value, mut columns) = (None, None, 0);
        for (at, cell) in line.split(|byte| *byte == self.separator).enumerate() {
            columns += 1;
            if at == self.value {
                value = Some(bare(cell));
            } else if Some(at) == self.label {
                label = Some(bare(cell));
            }
        }
        match value {
            Some([]) if columns == self.columns => {
                Err(format!("the column '{}' is empty", printable(self.name.as_bytes())))
            }
            Some(value) if columns == self.columns => Ok((label, value)),
            _ => Err(format!(
                "{} has {columns} columns between '{}', and the header {}",
                quoted(line),
                char::from(self.separator).escape_default(),
                self.columns
            )),
        }
    }
}

/// A cell without blanks and quotes around it.
fn bare(cell: &[u8]) -> &[u8] {
    let cell = cell.trim_ascii();
    cell.strip_prefix(b"\"").and_then(|cell| cell.strip_suffix(b"\"")).unwrap_or(cell)
}
