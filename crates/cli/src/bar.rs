//! The progress bar, and above it what is known so far.
//!
//! Drawn by hand: the usual crates time their redraws with `std::time::Instant`, which panics where the system's
//! clock fails, and an instrument for broken clocks has to live with those.

use std::io::{IsTerminal, Write, stderr};

const WIDTH: usize = 30;

/// A bar on standard error, if that is a terminal.
pub struct Bar {
    shown: bool,
    drawn: String,
    /// Lines above it that are on the terminal.
    above: usize,
}

impl Bar {
    /// `wanted` is false where the user wants none.
    pub fn new(wanted: bool) -> Self {
        // A dumb terminal can't erase a line.
        let able = std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        Self { shown: wanted && able && stderr().is_terminal(), drawn: String::new(), above: 0 }
    }

    /// Draws `done` (0 to 1) of the whole and what is being done, if that looks different now.
    pub fn draw(&mut self, done: f64, phase: &str) {
        // Of a line that breaks a later one would erase the last part only.
        let most = terminal_size::terminal_size_of(stderr())
            .map_or(usize::MAX, |(width, _)| usize::from(width.0).saturating_sub(1));
        let line: String = line(done, phase, most).chars().take(most).collect();
        if self.shown && self.drawn != line {
            // A terminal that is gone ends the run by its signal, not here.
            let _ = write!(stderr(), "\r{line}\x1b[K");
            self.drawn = line;
        }
    }

    /// Whether there is a place for lines above it: columns and lines of the terminal.
    pub fn room(&self) -> Option<(usize, usize)> {
        let size = terminal_size::terminal_size_of(stderr()).filter(|_| self.shown)?;
        Some((usize::from(size.0.0).saturating_sub(1), usize::from(size.1.0).saturating_sub(2)))
    }

    /// Puts these lines above the bar, in place of those that were there. They are to fit into its [room](Self::room).
    pub fn tell(&mut self, lines: &[String]) {
        self.clear();
        if self.shown {
            for line in lines {
                let _ = writeln!(stderr(), "{line}");
            }
            self.above = lines.len();
        }
    }

    /// Takes the bar away, and what stands above it; the next `draw` brings it back.
    pub fn clear(&mut self) {
        // Line by line: some terminals keep what is erased all at once.
        if self.above > 0 || !self.drawn.is_empty() {
            let _ = write!(stderr(), "\r\x1b[K{}", "\x1b[A\x1b[K".repeat(self.above));
        }
        (self.above, self.drawn) = (0, String::new());
    }
}

/// On a narrow terminal the bar gives way to the words.
fn line(done: f64, phase: &str, most: usize) -> String {
    let done = if done.is_finite() { done.clamp(0.0, 1.0) } else { 0.0 };
    let words = format!(" {:>3.0} %  {phase}", done * 100.0);
    let width = most.saturating_sub(words.chars().count()).min(WIDTH);
    let full = (done * width as f64) as usize;
    format!("{}{}{words}", "━".repeat(full), "─".repeat(width - full))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_it_says() {
        assert_eq!(line(0.0, "cost", 80), format!("{}   0 %  cost", "─".repeat(30)));
        assert_eq!(line(0.5, "cost", 80), format!("{}{}  50 %  cost", "━".repeat(15), "─".repeat(15)));
        assert_eq!(line(7.0, "x", 80), format!("{} 100 %  x", "━".repeat(30)));
        assert_eq!(line(f64::NAN, "x", 80), line(0.0, "x", 80));
        assert_eq!(line(0.5, "cost", 20), format!("{}{}  50 %  cost", "━".repeat(4), "─".repeat(4)));
    }
}
