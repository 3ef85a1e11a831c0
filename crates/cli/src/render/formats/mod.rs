//! One file a format, and a line below: its name is the file's, with the endings of files that ask for it.

use super::{Report, View};

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
                let all: [(Self, &[&str]); _] = [$((Self::$name, &$endings as &[&str])),*];
                all.into_iter().find_map(|(format, endings)| endings.contains(&ending).then_some(format))
            }

            /// The result as text.
            pub fn text(self, shown: &dyn Report, style: Style) -> String {
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
    junit: Junit [],
    github: Github [],
    parquet: Parquet ["parquet"],
}

impl Format {
    /// The command that alone writes so, where it is one.
    pub fn only_of(self) -> Option<&'static str> {
        match self {
            Self::Junit | Self::Github => Some("check"),
            Self::Parquet => Some("export"),
            Self::Table | Self::Json | Self::Jsonl | Self::Csv | Self::Markdown => None,
        }
    }

    /// As it is typed.
    pub fn name(self) -> String {
        clap::ValueEnum::to_possible_value(&self).map_or_else(String::new, |value| value.get_name().to_owned())
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
