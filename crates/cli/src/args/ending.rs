//! What the ending of a file's name says of the format wanted in it.

use std::path::Path;

use crate::render::Format;

/// All endings, as an error lists them.
const KNOWN: &str = "json, jsonl, ndjson, csv, md, markdown, and for a table txt, log, out or none";

/// The format for a file of that name, in any case; a table where it has no ending. An error says what would be right.
pub(super) fn format(path: &Path) -> Result<Format, String> {
    let Some(ending) = path.extension().filter(|ending| !ending.is_empty()) else { return Ok(Format::Table) };
    let ending = ending.to_string_lossy().to_lowercase();
    Format::of(&ending).ok_or_else(|| {
        format!("no format goes with the ending of '{}'; known are {KNOWN}; or choose one by --format", path.display())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_chooses_in_any_case_and_an_unknown_one_is_refused() {
        for (path, wanted) in [
            ("a/b.json", Format::Json),
            ("y.JSON", Format::Json),
            ("b.ndjson", Format::Jsonl),
            ("b.Csv", Format::Csv),
            ("b.md", Format::Markdown),
            ("b.txt", Format::Table),
            ("b.LOG", Format::Table),
            ("a.json/b", Format::Table),
            ("b.", Format::Table),
            (".json", Format::Table),
            ("-", Format::Table),
            ("/dev/null", Format::Table),
            ("/dev/fd/1", Format::Table),
        ] {
            assert_eq!(format(Path::new(path)), Ok(wanted), "{path}");
        }
        for path in ["x.yaml", "x.json.gz", "survey.trace", "x.ö"] {
            assert!(format(Path::new(path)).unwrap_err().contains("json, jsonl, ndjson, csv"), "{path}");
        }
    }

    #[test]
    fn every_known_ending_is_one() {
        let words =
            KNOWN.split([' ', ',']).filter(|word| !["", "and", "for", "a", "table", "or", "none"].contains(word));
        for ending in words {
            assert!(format(Path::new(&format!("x.{ending}"))).is_ok(), "{ending}");
        }
    }
}
