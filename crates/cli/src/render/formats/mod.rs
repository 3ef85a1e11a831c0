//! One file a format, and a line below: its name is the file's, with the endings of files that ask for it.

use clockscope_analysis::Conclusion;
use clockscope_analysis::record::{Deltas, Diagnosis, Record, SkewReport, Sweep};
use clockscope_engine::session::Listed;
use serde::{Serialize, Serializer};

use super::View;

/// Makes the formats of their files: each has a function that writes.
macro_rules! formats {
    ($($file:ident: $name:ident $endings:expr,)*) => {
        $(mod $file;)*

        /// Formats of a result.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
        pub enum Format {
            $(#[expect(missing_docs, reason = "its file says it")] $name,)*
        }

        impl Format {
            /// The format that a file with that ending holds.
            pub fn of(ending: &str) -> Option<Self> {
                let all: [(Self, &[&str]); _] = [$((Self::$name, &$endings)),*];
                all.into_iter().find_map(|(format, endings)| endings.contains(&ending).then_some(format))
            }

            /// The result as text.
            pub fn text(self, shown: Shown, style: Style) -> String {
                match self {
                    $(Self::$name => $file::text(shown, style),)*
                }
            }
        }
    };
}

formats! {
    table: Table ["txt", "log", "out"],
    json: Json ["json"],
    jsonl: Jsonl ["jsonl", "ndjson"],
    csv: Csv ["csv"],
    markdown: Markdown ["md", "markdown"],
}

/// What there is to show.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(untagged)]
pub enum Shown<'a> {
    /// A survey.
    Record(&'a Record),
    /// What is wrong of it.
    #[serde(serialize_with = "findings")]
    Findings(&'a Record),
    /// A comparison of CPUs.
    Skew(&'a SkewReport),
    /// One clock's differences.
    Deltas(&'a Deltas),
    /// The catalog.
    List(&'a [Listed]),
    /// A survey a clocksource.
    Sweep(&'a Sweep),
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde calls")]
fn findings<S: Serializer>(record: &&Record, to: S) -> Result<S::Ok, S::Error> {
    Diagnosis::from(*record).serialize(to)
}

impl<'a> From<&'a Conclusion> for Shown<'a> {
    fn from(conclusion: &'a Conclusion) -> Self {
        match conclusion {
            Conclusion::Record(record) => Self::Record(record),
            Conclusion::Skew(report) => Self::Skew(report),
            Conclusion::Deltas(deltas) => Self::Deltas(deltas),
        }
    }
}

/// How it is wanted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Style {
    /// Of a survey: forced ways of reading, what can't be read, notes in full. Of differences: a row for each.
    pub all: bool,
    /// Of a sweep: the clocks were asked for.
    pub asked: bool,
    /// Of a survey: costs in cycles of the counter.
    pub cycles: bool,
    /// Where it is shown.
    pub view: View,
}
