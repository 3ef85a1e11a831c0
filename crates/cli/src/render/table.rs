//! A table without boxes that fits its width by leaving out the least telling columns, and aligns numbers on
//! their decimal points. Cells hold single-width characters only (ids, digits, `≤`, `±`).

use std::fmt::Write;

use anstyle::Style;

use super::View;

/// Blanks between two columns.
const GAP: usize = 2;

/// How a column's cells stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Whole numbers.
    Right,
    /// Numbers, their decimal points below one another.
    Decimal,
}

/// A column's head.
#[derive(Debug, Clone)]
pub struct Column {
    /// First line of the head.
    pub title: String,
    /// Second line: the unit; empty: none.
    pub unit: &'static str,
    /// How its cells stand.
    pub align: Align,
    /// What stays when the width is short: the column with the highest rank goes first.
    pub rank: u8,
}

impl Column {
    /// A column with a head.
    pub fn new(title: impl Into<String>, unit: &'static str, align: Align, rank: u8) -> Self {
        Self { title: title.into(), unit, align, rank }
    }

    /// The head on one line.
    pub fn head(&self) -> String {
        if self.unit.is_empty() { self.title.clone() } else { format!("{} {}", self.title, self.unit) }
    }
}

/// A cell: its text and how it is set off.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    /// What it says.
    pub text: String,
    /// How it is set off.
    pub style: Style,
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self { text, style: Style::new() }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

/// A table; every row has a cell for every column.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// The columns, left to right.
    pub columns: Vec<Column>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
}

/// How wide a column's parts are.
#[derive(Debug, Clone, Copy)]
struct Widths {
    whole: usize,
    /// Of that, the decimal point and what follows it.
    fraction: usize,
}

impl Table {
    /// The text, and the heads of the columns that found no room.
    pub fn render(&self, view: View) -> (String, Vec<String>) {
        let widths: Vec<Widths> = (0..self.columns.len()).map(|i| self.widths(i)).collect();
        let shown = self.fitting(&widths, view.width);
        let mut out = String::new();
        let head = |text: &dyn Fn(&Column) -> String| -> String {
            line(shown.iter().map(|&i| {
                let column = &self.columns[i];
                let padded = pad(&text(column), column.align, Widths { fraction: 0, ..widths[i] });
                (padded, view.strong())
            }))
        };
        out.push_str(&head(&|column| column.title.clone()));
        if shown.iter().any(|&i| !self.columns[i].unit.is_empty()) {
            out.push_str(&head(&|column| column.unit.to_owned()));
        }
        for row in &self.rows {
            out.push_str(&line(
                shown.iter().map(|&i| (pad(&row[i].text, self.columns[i].align, widths[i]), row[i].style)),
            ));
        }
        let left_out = (0..self.columns.len()).filter(|i| !shown.contains(i));
        (out, left_out.map(|i| self.columns[i].title.clone()).collect())
    }

    /// The same as a Markdown table, with every column.
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        let mut row = |cells: &mut dyn Iterator<Item = String>| {
            for cell in cells {
                let _ = write!(out, "| {cell} ");
            }
            out.push_str("|\n");
        };
        row(&mut self.columns.iter().map(|column| escape(&column.head())));
        row(&mut self
            .columns
            .iter()
            .map(|column| if column.align == Align::Left { "---".to_owned() } else { "---:".to_owned() }));
        for cells in &self.rows {
            row(&mut cells.iter().map(|cell| escape(&cell.text)));
        }
        out
    }

    fn widths(&self, column: usize) -> Widths {
        let head = &self.columns[column];
        let fraction_of = |text: &str| if head.align == Align::Decimal { fraction(text) } else { 0 };
        let cells = || self.rows.iter().map(|row| row[column].text.as_str());
        let fraction = cells().map(fraction_of).max().unwrap_or(0);
        let before = cells().map(|text| width(text) - fraction_of(text)).max().unwrap_or(0);
        let whole = (before + fraction).max(width(&head.title)).max(width(head.unit));
        Widths { whole, fraction }
    }

    /// Indices of the columns that fit, left to right: by rank until one has no room.
    fn fitting(&self, widths: &[Widths], limit: Option<usize>) -> Vec<usize> {
        let mut by_rank: Vec<usize> = (0..self.columns.len()).collect();
        by_rank.sort_by_key(|&i| self.columns[i].rank);
        let mut used = 0;
        let mut shown = Vec::new();
        for i in by_rank {
            used += widths[i].whole + if shown.is_empty() { 0 } else { GAP };
            if !shown.is_empty() && limit.is_some_and(|limit| used > limit) {
                break;
            }
            shown.push(i);
        }
        shown.sort_unstable();
        shown
    }
}

/// Characters of a text; all of them are one column wide.
fn width(text: &str) -> usize {
    text.chars().count()
}

/// Width of the decimal point and what follows it.
fn fraction(text: &str) -> usize {
    text.find('.').map_or(0, |at| width(&text[at..]))
}

fn pad(text: &str, align: Align, widths: Widths) -> String {
    let blanks = widths.whole.saturating_sub(width(text));
    match align {
        Align::Left => format!("{text}{}", " ".repeat(blanks)),
        Align::Right => format!("{}{text}", " ".repeat(blanks)),
        Align::Decimal => {
            let after = widths.fraction.saturating_sub(fraction(text)).min(blanks);
            format!("{}{text}{}", " ".repeat(blanks - after), " ".repeat(after))
        }
    }
}

/// One line of padded cells; no blanks at its end.
fn line(cells: impl Iterator<Item = (String, Style)>) -> String {
    let mut out = String::new();
    // Blanks are held back until something follows them.
    let mut held = 0;
    for (i, (text, style)) in cells.enumerate() {
        held += if i == 0 { 0 } else { GAP };
        let word = text.trim();
        if word.is_empty() {
            held += width(&text);
            continue;
        }
        held += width(&text) - width(text.trim_start());
        let _ = write!(out, "{}{style}{word}{style:#}", " ".repeat(held));
        held = width(&text) - width(text.trim_end());
    }
    out.push('\n');
    out
}

/// A cell's text so that Markdown shows it as it is.
pub(super) fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        Table {
            columns: vec![
                Column::new("Clock", "", Align::Left, 0),
                Column::new("Cost", "ns", Align::Decimal, 1),
                Column::new("Reads", "", Align::Right, 2),
            ],
            rows: vec![
                vec!["tsc".into(), "9.51".into(), "100".into()],
                vec!["thread".into(), "535".into(), "7".into()],
            ],
        }
    }

    #[test]
    fn decimal_points_stand_below_one_another() {
        let (text, left_out) = table().render(View::default());
        assert_eq!(
            text,
            "Clock     Cost  Reads\n            ns\ntsc       9.51    100\nthread  535         7\n"
        );
        assert!(left_out.is_empty());
    }

    #[test]
    fn the_least_telling_column_goes_first() {
        let (text, left_out) = table().render(View { width: Some(20), colour: false });
        assert_eq!(text, "Clock     Cost\n            ns\ntsc       9.51\nthread  535\n");
        assert_eq!(left_out, ["Reads"]);
    }

    #[test]
    fn the_first_column_always_stays() {
        let (text, _) = table().render(View { width: Some(1), colour: false });
        assert_eq!(text, "Clock\ntsc\nthread\n");
    }

    #[test]
    fn markdown_has_every_column_and_escapes() {
        let mut table = table();
        table.rows[0][0] = "a|b".into();
        assert!(
            table
                .markdown()
                .starts_with("| Clock | Cost ns | Reads |\n| --- | ---: | ---: |\n| a\\|b | 9.51 |")
        );
    }
}
