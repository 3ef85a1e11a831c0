//! Running text: wrapped to the width, with a hanging indent.

use std::fmt::Write;

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
    let style = view.faint();
    let mut out = String::new();
    let indent = " ".repeat(text.len() - text.trim_start().len());
    for line in hanging(view, &indent, indent.len(), text).lines() {
        let _ = writeln!(out, "{style}{line}{style:#}");
    }
    out
}

/// A heading with an empty line before it.
pub(super) fn heading(view: View, text: &str) -> String {
    let style = view.strong();
    let mut out = "\n".to_owned();
    for line in hanging(view, "", 0, text).lines() {
        let _ = writeln!(out, "{style}{line}{style:#}");
    }
    out
}
