//! The report: parts with one Markdown table each.

use std::fmt::Write;

/// One part of the report.
pub(crate) struct Part {
    title: String,
    /// A paragraph above the table; empty: none.
    pub(crate) lead: String,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
    /// A list below the table.
    items: Vec<String>,
    /// Paragraphs below the table.
    pub(crate) notes: Vec<String>,
    /// What is not as it should be; empty: all is.
    pub(crate) wrong: Vec<String>,
}

impl Part {
    pub(crate) fn new(title: &str, head: &[&str]) -> Self {
        let head = head.iter().map(|&cell| cell.to_owned()).collect();
        Self {
            title: title.into(),
            lead: String::new(),
            head,
            rows: Vec::new(),
            items: Vec::new(),
            notes: Vec::new(),
            wrong: Vec::new(),
        }
    }

    /// Adds a row, and shows it on standard error at once: the whole takes minutes.
    pub(crate) fn row(&mut self, cells: &[String]) {
        eprintln!("{}", cells.join(" | "));
        self.rows.push(cells.to_vec());
    }

    /// Adds an item to the list, and shows it on standard error.
    pub(crate) fn item(&mut self, text: String) {
        eprintln!("{text}");
        self.items.push(text);
    }

    /// The part in Markdown.
    pub(crate) fn markdown(&self) -> String {
        let items = self.items.iter().fold(String::new(), |list, item| format!("{list}- {item}\n"));
        let blocks = [self.lead.clone(), self.table(), items.trim_end().to_owned()];
        let blocks = blocks.iter().chain(&self.notes).filter(|block| !block.is_empty());
        blocks.fold(format!("### {}\n", self.title), |text, block| format!("{text}\n{block}\n"))
    }

    /// The table as text in columns, the first to the left and the others to the right: mostly numbers, they are compared
    /// down a column.
    fn table(&self) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let lines = || std::iter::once(&self.head).chain(&self.rows);
        let widths: Vec<usize> = (0..self.head.len())
            .map(|column| lines().filter_map(|cells| cells.get(column)).map(|cell| cell.chars().count()).max())
            .map(Option::unwrap_or_default)
            .collect();
        let mut text = String::from("```text\n");
        for cells in lines() {
            for (column, (cell, width)) in cells.iter().zip(&widths).enumerate() {
                // Writing to a String can't fail.
                let _ = if column == 0 { write!(text, "{cell:<width$}") } else { write!(text, "  {cell:>width$}") };
            }
            text.push('\n');
        }
        text + "```"
    }
}

/// Two significant digits, of an error or a width: what stands behind them is chance.
pub(crate) fn rough(value: f64) -> String {
    let digits = value.abs().log10().floor();
    if value == 0.0 || !value.is_finite() {
        return short(value);
    }
    let unit = 10_f64.powf(digits - 1.0);
    short((value / unit).round() * unit)
}

/// Six or so significant digits.
pub(crate) fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".into() } else { "–".into() };
    }
    let digits = value.abs().log10().floor();
    if digits >= 7.0 {
        return format!("{value:.3e}");
    }
    let behind = (5.0 - digits).clamp(0.0, 9.0) as usize;
    let text = format!("{value:.behind$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown = [10.014_937_2, -0.000_37, 4e6, 0.0, 123_456.7, f64::NAN].map(short);
        assert_eq!(shown, ["10.0149", "-0.00037", "4000000", "0", "123457", "–"]);
    }

    #[test]
    fn errors_have_two_digits() {
        let shown = [20.9246, -0.000_158_527, 36_877.0, 999.9, 0.0, f64::NAN].map(rough);
        assert_eq!(shown, ["21", "-0.00016", "37000", "1000", "0", "–"]);
    }

    #[test]
    fn a_part_is_a_table_a_list_and_notes() {
        let mut part = Part::new("One", &["a", "b, ±"]);
        part.row(&["long".into(), "2".into()]);
        part.item("x".into());
        part.item("y".into());
        part.lead = "what".into();
        part.notes.push("why".into());
        let table = "```text\na     b, ±\nlong     2\n```";
        assert_eq!(part.markdown(), format!("### One\n\nwhat\n\n{table}\n\n- x\n- y\n\nwhy\n"));
    }
}
