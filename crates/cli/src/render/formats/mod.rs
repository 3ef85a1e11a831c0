//! One file a format, and a line below: its name is the file's, and the endings of files that ask for it stand in it.

use super::{Shown, Style};

/// Makes the formats of their files: each has `ENDINGS` and a function that writes.
macro_rules! formats {
    ($($file:ident: $name:ident,)*) => {
        $(mod $file;)*

        /// Formats of a result.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
        pub enum Format {
            $(#[expect(missing_docs, reason = "its file says it")] $name,)*
        }

        impl Format {
            /// The format that a file with that ending holds.
            pub fn of(ending: &str) -> Option<Self> {
                $(if $file::ENDINGS.contains(&ending) {
                    return Some(Self::$name);
                })*
                None
            }

            /// The result as text; an error says why it can't be written so.
            pub fn text(self, shown: Shown, style: Style) -> Result<String, String> {
                match self {
                    $(Self::$name => $file::text(shown, style),)*
                }
            }
        }
    };
}

formats! {
    table: Table,
    json: Json,
    csv: Csv,
    markdown: Markdown,
}
