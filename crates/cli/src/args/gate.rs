//! What findings make a run fail.

use clap::{Args, ValueEnum};
use clockscope_analysis::record::{Finding, Severity};

use super::code;

/// Findings as a gate: exit code 1.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Findings")]
pub struct Gate {
    /// End with exit code 1 where a finding is this severe: error, warning or note. What tells of the run alone (as CS012, of
    /// other load) or of every machine of the kind does not count
    #[arg(long, value_name = "SEVERITY", value_enum, hide_possible_values = true)]
    fail_on: Option<Mildest>,
    /// Findings that --fail-on lets pass, as CS009 or 9; repeatable, or separated by commas
    #[arg(long, value_name = "CODE", value_delimiter = ',', requires = "fail_on", value_parser = code::parse)]
    ignore: Vec<String>,
}

/// The mildest finding that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mildest {
    /// Errors only
    Error,
    /// Errors and warnings
    Warning,
    /// Anything
    Note,
}

impl Gate {
    /// Whether any finding may count.
    pub fn is_set(&self) -> bool {
        self.fail_on.is_some()
    }

    /// The codes of those that it does not let pass. It does what tells of the run alone: load, as any run may meet; and
    /// what holds on every machine of the kind: no virtual machine would get through.
    pub fn stops<'a>(&self, findings: &'a [Finding]) -> Vec<&'a str> {
        let mildest = self.fail_on.map(|mildest| match mildest {
            Mildest::Error => Severity::Error,
            Mildest::Warning => Severity::Warning,
            Mildest::Note => Severity::Note,
        });
        let stops = |f: &&Finding| {
            mildest.is_some_and(|mildest| f.severity <= mildest) && counts(&f.code, f.of_run, f.usual, &self.ignore)
        };
        findings.iter().filter(stops).map(|f| f.code.as_str()).collect()
    }
}

/// Whether a finding counts, however severe: it tells of more than the run, not of all machines of the kind, and is not to pass.
pub fn counts(code: &str, of_run: bool, usual: bool, ignored: &[String]) -> bool {
    !of_run && !usual && !ignored.iter().any(|ignored| ignored == code)
}
