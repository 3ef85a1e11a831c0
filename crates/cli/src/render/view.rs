//! What is known of the place that a text is shown: its size and its colours.

use anstyle::{AnsiColor, Style};
use clockscope_analysis::record::Severity;

/// Narrowest width that layouts adapt to; below it lines are left to the terminal to break.
const NARROWEST: usize = 20;

/// Width of running text where nothing limits it.
const PROSE: usize = 100;

/// How to show a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct View {
    /// Columns of characters to fit into; `None`: no limit, so that a pipe gets everything.
    pub width: Option<usize>,
    /// Lines that are seen at a time; `None`: no limit.
    pub lines: Option<usize>,
    /// Whether to write colours.
    pub colour: bool,
}

impl View {
    /// A view of so many columns and lines, if they are limited.
    pub fn new(width: Option<usize>, lines: Option<usize>, colour: bool) -> Self {
        Self { width: width.map(|width| width.max(NARROWEST)), lines, colour }
    }

    /// Columns for running text.
    pub fn prose(&self) -> usize {
        self.width.map_or(PROSE, |width| width.min(PROSE))
    }

    /// `style` where colours are on, else none.
    fn only_if_coloured(self, style: Style) -> Style {
        if self.colour { style } else { Style::new() }
    }

    fn bold(self, colour: AnsiColor) -> Style {
        self.only_if_coloured(Style::new().bold().fg_color(Some(colour.into())))
    }

    /// For what the eye should find first.
    pub fn strong(self) -> Style {
        self.only_if_coloured(Style::new().bold())
    }

    /// For what may be passed over.
    pub fn faint(self) -> Style {
        self.only_if_coloured(Style::new().dimmed())
    }

    /// For faults.
    pub fn bad(self) -> Style {
        self.bold(AnsiColor::Red)
    }

    /// For a finding of this severity.
    pub fn severity(self, severity: Severity) -> Style {
        self.bold(match severity {
            Severity::Error => AnsiColor::Red,
            Severity::Warning => AnsiColor::Yellow,
            Severity::Note => AnsiColor::Cyan,
        })
    }
}
