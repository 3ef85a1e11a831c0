//! Medians over rounds and the Markdown table.

/// Values of one figure over the rounds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rounds(Vec<f64>);

impl Rounds {
    /// Adds a round's value.
    pub(crate) fn push(&mut self, value: f64) {
        self.0.push(value);
    }

    /// The median; `None` without a round.
    pub(crate) fn median(&self) -> Option<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let upper = *sorted.get(sorted.len() / 2)?;
        let lower = *sorted.get(sorted.len().saturating_sub(1) / 2)?;
        Some(f64::midpoint(lower, upper))
    }

    /// `median (min–max)`, or a dash.
    pub(crate) fn shown(&self, digits: usize) -> String {
        let Some(median) = self.median() else { return "–".into() };
        let low = self.0.iter().copied().fold(f64::INFINITY, f64::min);
        let high = self.0.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        format!("{median:.digits$} ({low:.digits$}–{high:.digits$})")
    }
}

/// How much `to` is above `from`, in %, signed, or a dash.
pub(crate) fn change(from: Option<f64>, to: Option<f64>) -> String {
    match (from, to) {
        (Some(from), Some(to)) if from != 0.0 => format!("{:+.2} %", 100.0 * (to / from - 1.0)),
        _ => "–".into(),
    }
}

/// A Markdown table, its columns padded to one width each; all but the first are right-aligned.
pub(crate) fn markdown(header: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(String::as_str);
        cells.chain([header[column]]).map(|cell| cell.chars().count()).max().unwrap_or(0).max(3)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let line = |cells: Vec<&str>| {
        let padded = cells.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        format!("| {} |\n", padded.collect::<Vec<_>>().join(" | "))
    };
    let rules = widths
        .iter()
        .enumerate()
        .map(|(column, width)| if column == 0 { "-".repeat(*width) } else { "-".repeat(width - 1) + ":" });
    let head = [line(header.to_vec()), format!("| {} |\n", rules.collect::<Vec<_>>().join(" | "))];
    head.into_iter().chain(rows.iter().map(|row| line(row.iter().map(String::as_str).collect()))).collect()
}

#[cfg(test)]
mod tests {
    use super::{Rounds, change, markdown};

    #[test]
    fn a_median_of_an_even_number_lies_between() {
        let rounds = Rounds(vec![4.0, 1.0, 2.0, 3.0]);
        assert_eq!(rounds.median(), Some(2.5));
        assert_eq!(rounds.shown(1), "2.5 (1.0–4.0)");
        assert_eq!(Rounds::default().shown(1), "–");
    }

    #[test]
    fn a_change_is_signed_and_absent_without_both_ends() {
        assert_eq!(change(Some(20.0), Some(19.5)), "-2.50 %");
        assert_eq!(change(None, Some(1.0)), "–");
    }

    #[test]
    fn columns_line_up() {
        let rows = vec![vec!["tsc".to_owned(), "9.5".to_owned()]];
        assert_eq!(
            markdown(&["clock", "ours, ns"], &rows),
            "| clock | ours, ns |\n| ----- | -------: |\n| tsc   |      9.5 |\n"
        );
    }
}
