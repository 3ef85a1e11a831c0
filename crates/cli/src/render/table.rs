//! A table without boxes that fits its width by leaving out the least telling columns, and aligns numbers on
//! their decimal points. Cells hold single-width characters only (ids, digits, `≤`, `±`).

use std::fmt::Write;

use anstyle::Style;

use super::View;
use super::prose::faint;

/// Blanks between two columns.
const GAP: usize = 2;

/// Characters that a column keeps which gives way.
const LEAST: usize = 8;

/// Lines of the head: titles and units.
const HEAD: usize = 2;

/// What stands where nothing could be obtained; the reasons stand below the table.
pub const ABSENT: &str = "-";

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

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(text: Option<T>) -> Self {
        text.map_or_else(|| ABSENT.into(), Into::into)
    }
}

/// A table of one row an item.
#[derive(Debug, Clone)]
pub struct Table<T> {
    items: Vec<T>,
    columns: Vec<Column>,
    /// The first column is cut so that those of this rank find room beside it.
    gives_way_to: Option<u8>,
}

#[derive(Debug, Clone)]
struct Column {
    title: String,
    unit: &'static str,
    align: Align,
    rank: u8,
    cells: Vec<Cell>,
}

impl<T: Copy> Table<T> {
    /// A table of these items, as yet without columns.
    pub fn of(items: impl IntoIterator<Item = T>) -> Self {
        Self { items: items.into_iter().collect(), columns: Vec::new(), gives_way_to: None }
    }

    /// Adds a column: its head, which is the title and below it the unit, and what it says of an item. When the
    /// width is short the column with the highest rank goes first.
    #[must_use]
    pub fn column<C: Into<Cell>>(
        mut self,
        title: impl Into<String>,
        unit: &'static str,
        align: Align,
        rank: u8,
        cell: impl FnMut(T) -> C,
    ) -> Self {
        let cells = self.items.iter().copied().map(cell).map(Into::into).collect();
        self.columns.push(Column { title: title.into(), unit, align, rank, cells });
        self
    }

    /// Lets the first column be cut, to eight characters at most, so that the columns up to that rank find room.
    #[must_use]
    pub fn giving_way_to(self, rank: u8) -> Self {
        Self { gives_way_to: Some(rank), ..self }
    }

    /// Leaves out columns that say nothing of any item.
    #[must_use]
    pub fn without_empty(mut self) -> Self {
        self.columns.retain(|column| column.cells.iter().any(|cell| cell.text != ABSENT));
        self
    }

    /// The text, and below it which columns found no room.
    pub fn shown(&self, view: View) -> String {
        let (text, hidden) = self.render(view);
        if hidden.is_empty() { text } else { text + &faint(view, hidden_text(&hidden).trim_start()) }
    }

    /// The text, and the titles of the columns that found no room.
    pub fn render(&self, view: View) -> (String, Vec<String>) {
        let mut columns: Vec<Vec<String>> = self.columns.iter().map(Column::lines).collect();
        if let (Some(most), Some(rank)) = (view.width, self.gives_way_to) {
            let beside = (1..columns.len()).filter(|&i| self.columns[i].rank <= rank);
            let room = most.saturating_sub(beside.map(|i| width(&columns[i][0]) + GAP).sum());
            if (LEAST..width(&columns[0][0])).contains(&room) {
                columns[0].iter_mut().for_each(|text| *text = format!("{:<room$}", cut(text.trim_end(), room)));
            }
        }
        let shown = self.fitting(&columns, view.width);
        // The first column is shown even where it finds no room.
        if let (&[only], Some(most)) = (shown.as_slice(), view.width) {
            columns[only].iter_mut().for_each(|text| *text = cut(text.trim_end(), most));
        }
        let units = shown.iter().any(|&i| !self.columns[i].unit.is_empty());
        let mut out = String::new();
        for at in (0..HEAD + self.items.len()).filter(|at| *at != 1 || units) {
            let style = |i: usize| if at < HEAD { view.strong() } else { self.columns[i].cells[at - HEAD].style };
            out.push_str(&line(shown.iter().map(|&i| (columns[i][at].as_str(), style(i)))));
        }
        let left_out = (0..self.columns.len()).filter(|i| !shown.contains(i));
        (out, left_out.map(|i| self.columns[i].title.clone()).collect())
    }

    /// The same as a Markdown table, with every column.
    pub fn markdown(&self) -> String {
        let line = |text: &dyn Fn(&Column) -> String| {
            format!("| {} |\n", self.columns.iter().map(text).collect::<Vec<_>>().join(" | "))
        };
        let head = line(&|column| escape(format!("{} {}", column.title, column.unit).trim_end()));
        let rule = line(&|column| if column.align == Align::Left { "---" } else { "---:" }.to_owned());
        let rows = (0..self.items.len()).map(|at| line(&|column| escape(&column.cells[at].text)));
        [head, rule].into_iter().chain(rows).collect()
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

impl Column {
    /// Title, unit and cells, all of one width.
    fn lines(&self) -> Vec<String> {
        let Self { title, unit, align, cells, .. } = self;
        // With a unit of its own a number stands apart.
        let is_aligned = |text: &str| *align == Align::Decimal && (!text.contains(' ') || text.starts_with('≤'));
        // The decimal point and what follows it.
        let fraction = |text: &str| text.find('.').filter(|_| is_aligned(text)).map_or(0, |at| width(&text[at..]));
        let longest = cells.iter().map(|cell| fraction(&cell.text)).max().unwrap_or(0);
        let pad = |text: &str| if is_aligned(text) { longest - fraction(text) } else { 0 };
        let cells = cells.iter().map(|Cell { text, .. }| format!("{text}{}", " ".repeat(pad(text))));
        let texts: Vec<String> = [title.clone(), (*unit).to_owned()].into_iter().chain(cells).collect();
        let wide = texts.iter().map(|text| width(text)).max().unwrap_or(0);
        let aligned = |text| if *align == Align::Left { format!("{text:<wide$}") } else { format!("{text:>wide$}") };
        texts.into_iter().map(aligned).collect()
    }
}

/// Which columns found no room, as a sentence to follow another; nothing where all did.
pub(super) fn hidden_text(titles: &[String]) -> String {
    let mut named: Vec<&str> = Vec::new();
    for title in titles {
        if !named.contains(&title.as_str()) {
            named.push(title);
        }
    }
    if named.is_empty() { String::new() } else { format!(" Hidden for want of width: {}.", named.join(", ")) }
}

/// So much of a text as finds room.
fn cut(text: &str, most: usize) -> String {
    if width(text) <= most {
        text.to_owned()
    } else {
        text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
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

    #[test]
    fn the_least_telling_columns_go_first_and_decimal_points_stand_below_one_another() {
        let table = Table::of([("tsc", "9.51", "100"), ("thread", "535", "7")])
            .column("Clock", "", Align::Left, 0, |row| row.0)
            .column("Cost", "ns", Align::Decimal, 1, |row| row.1)
            .column("Reads", "", Align::Right, 2, |row| row.2);
        for (width, text, left_out) in [
            (None, "Clock     Cost  Reads\n            ns\ntsc       9.51    100\nthread  535         7\n", ""),
            (Some(20), "Clock     Cost\n            ns\ntsc       9.51\nthread  535\n", "Reads"),
            (Some(5), "Clock\ntsc\nthre…\n", "Cost Reads"),
        ] {
            let (rendered, without) = table.render(View { width, ..View::default() });
            assert_eq!((rendered.as_str(), without.join(" ").as_str()), (text, left_out));
        }
    }

    #[test]
    fn a_first_column_may_give_way() {
        let table = Table::of([("monotonic-coarse", "9.51 ns")])
            .column("Clock", "", Align::Left, 0, |row| row.0)
            .column("Cost", "", Align::Right, 1, |row| row.1);
        let render = |table: &Table<_>| table.render(View { width: Some(20), ..View::default() }).0;
        assert_eq!(render(&table), "Clock\nmonotonic-coarse\n");
        assert_eq!(render(&table.giving_way_to(1)), "Clock           Cost\nmonotonic-…  9.51 ns\n");
    }

    #[test]
    fn markdown_has_every_column_and_escapes() {
        let table = Table::of(["a|b"]).column("Clock", "", Align::Left, 0, |id| id);
        let table = table.column("Cost", "ns", Align::Decimal, 1, |_| "9.51");
        assert_eq!(table.markdown(), "| Clock | Cost ns |\n| --- | ---: |\n| a\\|b | 9.51 |\n");
    }
}
