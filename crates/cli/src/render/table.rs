//! A table without boxes that fits its width by leaving out the least telling columns, and aligns numbers on
//! their decimal points. Cells hold single-width characters only (ids, digits, `≤`, `±`).

use std::fmt::Write;

use anstyle::Style;

use super::View;

/// Blanks between two columns.
const GAP: usize = 2;

/// Lines of the head: titles and units.
const HEAD: usize = 2;

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

impl Table {
    /// The text, and the heads of the columns that found no room.
    pub fn render(&self, view: View) -> (String, Vec<String>) {
        let columns: Vec<Vec<String>> = (0..self.columns.len()).map(|i| self.column(i)).collect();
        let shown = self.fitting(&columns, view.width);
        let units = shown.iter().any(|&i| !self.columns[i].unit.is_empty());
        let mut out = String::new();
        for at in (0..HEAD + self.rows.len()).filter(|at| *at != 1 || units) {
            let style = |i: usize| if at < HEAD { view.strong() } else { self.rows[at - HEAD][i].style };
            out.push_str(&line(shown.iter().map(|&i| (columns[i][at].as_str(), style(i)))));
        }
        let left_out = (0..self.columns.len()).filter(|i| !shown.contains(i));
        (out, left_out.map(|i| self.columns[i].title.clone()).collect())
    }

    /// The same as a Markdown table, with every column.
    pub fn markdown(&self) -> String {
        let rule = |column: &Column| if column.align == Align::Left { "---" } else { "---:" }.to_owned();
        let head = self.columns.iter().map(|column| escape(&column.head())).collect();
        let rows = self.rows.iter().map(|row| row.iter().map(|cell| escape(&cell.text)).collect());
        let lines = [head, self.columns.iter().map(rule).collect()].into_iter().chain(rows);
        lines.map(|cells: Vec<String>| format!("| {} |\n", cells.join(" | "))).collect::<Vec<_>>().concat()
    }

    /// A column's title, unit and cells, all of one width.
    fn column(&self, i: usize) -> Vec<String> {
        let Column { title, unit, align, .. } = &self.columns[i];
        // The decimal point and what follows it.
        let fraction =
            |text: &str| text.find('.').filter(|_| *align == Align::Decimal).map_or(0, |at| width(&text[at..]));
        let longest = self.rows.iter().map(|row| fraction(&row[i].text)).max().unwrap_or(0);
        let cells = self.rows.iter().map(|row| {
            let text = &row[i].text;
            format!("{text}{}", " ".repeat(longest - fraction(text)))
        });
        let texts: Vec<String> = [title.clone(), (*unit).to_owned()].into_iter().chain(cells).collect();
        let wide = texts.iter().map(|text| width(text)).max().unwrap_or(0);
        let aligned = |text| if *align == Align::Left { format!("{text:<wide$}") } else { format!("{text:>wide$}") };
        texts.into_iter().map(aligned).collect()
    }

    /// Indices of the columns that fit, left to right: by rank until one has no room.
    fn fitting(&self, columns: &[Vec<String>], limit: Option<usize>) -> Vec<usize> {
        let mut by_rank: Vec<usize> = (0..self.columns.len()).collect();
        by_rank.sort_by_key(|&i| self.columns[i].rank);
        let mut used = 0;
        let mut shown = Vec::new();
        for i in by_rank {
            used += width(&columns[i][0]) + if shown.is_empty() { 0 } else { GAP };
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

/// One line of padded cells; no blanks at its end.
fn line<'a>(cells: impl Iterator<Item = (&'a str, Style)>) -> String {
    let mut out = String::new();
    // Blanks are held back until something follows them.
    let mut held = 0;
    for (text, style) in cells {
        let word = text.trim();
        if word.is_empty() {
            held += width(text) + GAP;
            continue;
        }
        held += width(text) - width(text.trim_start());
        let _ = write!(out, "{}{style}{word}{style:#}", " ".repeat(held));
        held = width(text) - width(text.trim_end()) + GAP;
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
        assert_eq!(text, "Clock     Cost  Reads\n            ns\ntsc       9.51    100\nthread  535         7\n");
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
        assert!(table.markdown().starts_with("| Clock | Cost ns | Reads |\n| --- | ---: | ---: |\n| a\\|b | 9.51 |"));
    }
}
