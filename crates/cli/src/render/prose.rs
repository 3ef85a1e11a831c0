//! Running text: wrapped to the width, with a hanging indent.

use anstyle::Style;

use super::View;

/// `text` wrapped, its first line after `first`, the others after as many blanks as `hang`.
pub(super) fn hanging(view: View, first: &str, hang: usize, text: &str) -> String {
    let rest = " ".repeat(hang);
    let options = textwrap::Options::new(view.prose())
        .initial_indent(first)
        .subsequent_indent(&rest)
        .break_words(false)
        // Ids have hyphens; a clock's name is not to be cut.
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    let mut out = textwrap::fill(text.trim(), options);
    out.push('\n');
    out
}

/// `text` wrapped and faint, for what may be passed over.
pub(super) fn faint(view: View, text: &str) -> String {
    let indent = " ".repeat(text.len() - text.trim_start().len());
    styled(view.faint(), &hanging(view, &indent, indent.len(), text))
}

/// A heading with an empty line before it.
pub(super) fn heading(view: View, text: &str) -> String {
    format!("\n{}", styled(view.strong(), &hanging(view, "", 0, text)))
}

/// Notes on a run.
pub(super) fn notes(view: View, notes: &[String]) -> String {
    notes.iter().map(|note| hanging(view, "Note: ", 6, note)).collect()
}

/// Each line in that style.
fn styled(style: Style, text: &str) -> String {
    text.lines().map(|line| format!("{style}{line}{style:#}\n")).collect::<Vec<_>>().concat()
}
