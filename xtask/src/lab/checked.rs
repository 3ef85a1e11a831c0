//! What was expected beside what was found.

/// How an expectation came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Checked {
    /// What was expected.
    pub(crate) expected: String,
    /// What was found.
    pub(crate) found: String,
    /// Whether it holds.
    pub(crate) holds: bool,
}

/// A text's part around a place, with dots where something is left out.
pub(crate) fn around(text: &str, at: usize) -> String {
    const BEFORE: usize = 30;
    const LONGEST: usize = 90;
    let start = text[..at].char_indices().rev().nth(BEFORE).map_or(0, |(place, _)| place);
    let rest = &text[start..];
    let end = rest.char_indices().nth(LONGEST).map_or(rest.len(), |(place, _)| place);
    let (before, after) = (if start > 0 { "… " } else { "" }, if end < rest.len() { " …" } else { "" });
    format!("{before}{}{after}", &rest[..end])
}

#[cfg(test)]
mod tests {
    use super::around;

    #[test]
    fn a_long_text_is_shown_around_what_was_looked_for() {
        let text = format!("{}needle{}", "ä".repeat(200), "ö".repeat(200));
        let shown = around(&text, text.find("needle").unwrap());
        assert!(shown.starts_with("… ä") && shown.ends_with("ö …") && shown.contains("needle"), "{shown}");
        assert_eq!(around("short", 3), "short");
    }
}
