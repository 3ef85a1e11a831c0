//! Running text: wrapped to the width, with a hanging indent. A figure stays on one line with its unit and its ±.

use anstyle::Style;

use super::View;

/// Widest indent where a line has room for words beside it.
const ROOM: usize = 20;

/// `text` wrapped, its first line after `first`, the others after as many blanks as `hang`.
pub(super) fn hanging(view: View, first: &str, hang: usize, text: &str) -> String {
    let rest = " ".repeat(if view.prose() < hang + ROOM { 1 } else { hang });
    let options = textwrap::Options::new(view.prose())
        .initial_indent(first)
        .subsequent_indent(&rest)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        // Ids have hyphens; a clock's name is not to be cut.
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    let mut out = textwrap::fill(&bound(text.trim()), options).replace(HELD, " ");
    out.push('\n');
    out
}

/// A blank at which no line is broken.
const HELD: char = '\u{a0}';

/// Blanks between a number and what belongs to it are held.
pub(super) fn bound(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut words = text.split(' ').peekable();
    while let Some(word) = words.next() {
        out.push_str(word);
        let Some(next) = words.peek() else { break };
        let is_number = word.ends_with(|c: char| c.is_ascii_digit());
        let next = next.trim_end_matches([',', '.', ';', ':', ')']);
        let belongs =
            ["ns", "µs", "ms", "s", "ppm", "%", "Hz", "kHz", "MHz", "GHz", "±", "/", "reads", "cycles"].contains(&next);
        let leads = ["±", "≤", "CPU", "/"].contains(&word.trim_start_matches('('));
        out.push(if (is_number && belongs) || leads { HELD } else { ' ' });
    }
    out
}

/// `text` wrapped and faint, for what may be passed over.
pub(super) fn faint(view: View, text: &str) -> String {
    let indent = " ".repeat(text.len() - text.trim_start().len());
    styled(view.faint(), &hanging(view, &indent, indent.len(), text))
}

/// A line of the small print: what it is about, in a column of its own, and the text.
pub(super) fn labelled(view: View, label: &str, text: &str) -> String {
    const LABEL: usize = 12;
    let hang = if view.prose() < 2 * LABEL + ROOM { 2 } else { LABEL };
    styled(view.faint(), &hanging(view, &format!("{label:<LABEL$}"), hang, text))
}

/// Facts side by side, so many on a line as find room.
pub(super) fn facts(view: View, facts: &[String]) -> String {
    const BETWEEN: &str = " · ";
    let width = |text: &str| text.chars().count();
    let mut lines: Vec<String> = Vec::new();
    for fact in facts {
        match lines.last_mut() {
            Some(line) if view.width.is_none_or(|most| width(line) + width(BETWEEN) + width(fact) <= most) => {
                line.push_str(BETWEEN);
                line.push_str(fact);
            }
            _ => lines.push(fact.clone()),
        }
    }
    let wrap = |line: &String| match view.width {
        Some(most) if width(line) > most => hanging(view, "", 2, line),
        _ => format!("{line}\n"),
    };
    lines.iter().map(wrap).collect()
}

/// A heading with an empty line before it.
pub(super) fn heading(view: View, text: &str) -> String {
    format!("\n{}", styled(view.strong(), &hanging(view, "", 0, text)))
}

/// Lines under a heading, wrapped where they stand.
pub fn story(title: &str, lines: &str, view: View) -> String {
    let line = |line: &str| {
        let indent = 2 + line.len() - line.trim_start().len();
        hanging(view, &" ".repeat(indent), indent + 2, line)
    };
    heading(view, title) + &lines.lines().map(line).collect::<String>()
}

/// Notes on a run.
pub(super) fn notes(view: View, notes: &[String]) -> String {
    notes.iter().map(|note| hanging(view, "Note: ", 6, note)).collect()
}

/// What a result ends with: its notes, and that the run was cut short, if it was.
pub(super) fn ending(view: View, said: &[String], is_cut: bool) -> String {
    notes(view, said) + &if is_cut { super::survey::interrupted(view) } else { String::new() }
}

/// What stands where a run was cut short before it had measured anything.
pub(super) const NOTHING_YET: &str = "Nothing was measured yet.\n";

/// Each line in that style.
pub(super) fn styled(style: Style, text: &str) -> String {
    text.lines().map(|line| format!("{style}{line}{style:#}\n")).collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_never_broken() {
        let view = View { width: Some(24), ..View::default() };
        let text = hanging(view, "", 2, "it costs some 18.11 ± 0.03 ns, and 1,234,567 reads took 4 ms (≤ 30 ns)");
        assert_eq!(text, "it costs some\n  18.11 ± 0.03 ns, and\n  1,234,567 reads took\n  4 ms (≤ 30 ns)\n");
    }
}
