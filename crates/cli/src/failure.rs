//! Why the program ends other than well, and the exit code that says so.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use clockscope_engine::session;

/// Why the program ends other than well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// Findings as severe as `--fail-on` names; they have been printed: exit code 1.
    Found(String),
    /// Wrong usage or bad input: exit code 2.
    Usage(String),
    /// The machine does not allow what was asked: exit code 3.
    Machine(String),
    /// A signal ended the run; what had been measured has been printed: exit code 128 + the signal's number.
    Signal(i32),
}

impl Failure {
    /// The process's exit code.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Found(_) => 1,
            Self::Usage(_) => 2,
            Self::Machine(_) => 3,
            Self::Signal(number) => u8::try_from(128 + number).unwrap_or(u8::MAX),
        }
    }

    /// A file that can't be created: a place that does not exist was asked for wrongly, all else is the machine's refusal.
    pub fn create(path: &Path, error: &io::Error) -> Self {
        let text = format!("can't create {}: {}", path.display(), reason(error));
        match error.kind() {
            io::ErrorKind::NotFound
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::AlreadyExists => Self::Usage(text),
            _ => Self::Machine(text),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Found(text) | Self::Usage(text) | Self::Machine(text) => f.write_str(text),
            Self::Signal(number) => {
                write!(f, "interrupted by signal {number}; what had been measured by then is printed")
            }
        }
    }
}

impl From<session::Error> for Failure {
    fn from(error: session::Error) -> Self {
        if error.is_usage() { Self::Usage(error.to_string()) } else { Self::Machine(error.to_string()) }
    }
}

/// A line on standard error.
pub fn warn(text: &str) {
    // Not `eprintln!`, which panics when stderr is closed or full.
    let _ = writeln!(io::stderr(), "clockscope: {text}");
}

/// The system's words for an I/O error, in lower case and without the number.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}
