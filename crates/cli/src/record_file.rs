//! Records from files: as JSON, as `--format json` and `jsonl` write them, or as the traces that they are made of.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::thread::{self, ScopedJoinHandle};

use clockscope_analysis::record::{Record, SCHEMA};
use clockscope_analysis::{Conclusion, conclude};
use serde::Deserialize;
use serde_json::{Deserializer, Value};

use crate::failure::{Failure, warn};
use crate::json_error::broken;
use crate::trace_file::{self, Input, unreadable};

/// Most bytes that are read as JSON: a survey's record is some 100 KiB.
const LARGEST: u64 = 1 << 30;
/// Most files that are read at once.
const AT_ONCE: usize = 8;
/// What a folder's files must end in to be read.
const ENDINGS: [&str; 3] = ["json", "jsonl", "trace"];
/// What makes a record.
const WAY_OUT: &str = "`clockscope --output FILE.json` writes a survey's record, `clockscope --trace FILE` a trace";

/// The record in a file, or the one that a trace comes to; `-` is standard input.
///
/// # Errors
/// [`Failure::Usage`] for a file that can't be read, is no record and no survey's trace, or holds several records.
pub fn read(path: &Path) -> Result<Record, Failure> {
    let mut records = several(path)?;
    let count = records.len();
    match (records.pop(), count) {
        (Some(record), 1) => Ok(record),
        _ => Err(Failure::Usage(format!("{} holds {count} records, and here one is wanted", place(path)))),
    }
}

/// The records of several files, each with its path; of a directory those of all its `*.json`, `*.jsonl` and `*.trace`, by name; of
/// a file of several records all of them.
///
/// # Errors
/// As [`read`]; [`Failure::Usage`] too for a directory without such files, and for standard input named twice.
pub fn read_all(paths: &[PathBuf]) -> Result<Vec<(PathBuf, Record)>, Failure> {
    let mut all = Vec::new();
    each(paths, |file, record| {
        all.push((file.to_owned(), record));
        Ok(())
    })?;
    Ok(all)
}

/// As [`read_all`], one after another in their order, so that only the records of as many files are held as there are CPUs
/// that read them.
///
/// # Errors
/// As [`read_all`], and those of `take`.
pub fn each(paths: &[PathBuf], mut take: impl FnMut(&Path, Record) -> Result<(), Failure>) -> Result<(), Failure> {
    once(paths)?;
    let at_once = thread::available_parallelism().map_or(1, usize::from).min(AT_ONCE);
    for path in paths {
        let files = if path.is_dir() { within(path)? } else { vec![path.clone()] };
        for files in files.chunks(at_once) {
            for (file, records) in files.iter().zip(together(files)) {
                records?.into_iter().try_for_each(|record| take(file, record))?;
            }
        }
    }
    Ok(())
}

/// The records of each file, read by a thread of its own; the first by this one, and those too for which there is no thread.
fn together(files: &[PathBuf]) -> Vec<Result<Vec<Record>, Failure>> {
    let Some((first, rest)) = files.split_first() else { return Vec::new() };
    thread::scope(|scope| {
        let begun: Vec<_> =
            rest.iter().map(|file| (file, thread::Builder::new().spawn_scoped(scope, || several(file)))).collect();
        let mut all = vec![several(first)];
        all.extend(begun.into_iter().map(|(file, thread)| match thread.map(ScopedJoinHandle::join) {
            Ok(Ok(records)) => records,
            Ok(Err(_)) | Err(_) => several(file),
        }));
        all
    })
}

/// Refuses to read standard input twice.
pub fn once<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Result<(), Failure> {
    if paths.into_iter().filter(|path| is_stdin(path)).count() > 1 {
        return Err(Failure::Usage("standard input (-) can be read once only; name it once".into()));
    }
    Ok(())
}

/// What messages call a file.
pub fn place(path: &Path) -> String {
    if is_stdin(path) { "standard input".into() } else { path.display().to_string() }
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The records and traces in a directory, by name.
fn within(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failed = |error| unreadable(&place(folder), &error);
    let entries: Result<Vec<_>, _> = fs::read_dir(folder).map_err(failed)?.collect();
    let is_wanted = |path: &PathBuf| {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str())) && path.is_file()
    };
    let mut files: Vec<PathBuf> =
        entries.map_err(failed)?.into_iter().map(|entry| entry.path()).filter(is_wanted).collect();
    files.sort();
    if files.is_empty() {
        let place = place(folder);
        return Err(Failure::Usage(format!("{place} is a directory without a *.json, *.jsonl or *.trace; {WAY_OUT}")));
    }
    Ok(files)
}

/// All records of a file: one or more.
fn several(path: &Path) -> Result<Vec<Record>, Failure> {
    if path.is_dir() {
        let place = place(path);
        return Err(Failure::Usage(format!("{place} is a directory, and here a file is wanted; name a record in it")));
    }
    let mut input = Input::open(path)?;
    match input.first()? {
        [] => Err(Failure::Usage(format!("{} is empty; {WAY_OUT}", input.place))),
        [0x1f, 0x8b, ..] => traced(input).map(|record| vec![record]),
        _ => json(input),
    }
}

/// The record that a trace comes to.
fn traced(input: Input) -> Result<Record, Failure> {
    let place = input.place.clone();
    let (analysis, early) = trace_file::analyze(input, |_| ())?;
    if let Some(why) = early {
        warn(&why);
    }
    if let Some(why) = analysis.refusal() {
        return Err(Failure::Usage(format!("{place}: {why}")));
    }
    match conclude(&analysis).map(|conclusion| conclusion.with_series(&analysis)) {
        Some(Conclusion::Survey(record)) => Ok(record),
        _ => Err(Failure::Usage(format!(
            "{place} is a trace of another command than the survey, and here a survey's is wanted; {WAY_OUT}"
        ))),
    }
}

/// What tells one kind of JSON from another.
#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    schema: Value,
    #[serde(default)]
    tool: Value,
}

/// The records of JSON, one after another.
fn json(input: Input) -> Result<Vec<Record>, Failure> {
    let place = input.place;
    let mut bytes = Vec::new();
    input.from.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&place, &error))?;
    let wrong = |why: String| Failure::Usage(format!("{place} {why}; {WAY_OUT}"));
    if bytes.len() as u64 > LARGEST {
        return Err(wrong(format!("is larger than any record ({} MiB)", LARGEST >> 20)));
    }
    let text = std::str::from_utf8(&bytes).map_err(|_| wrong("is neither a record nor a trace".into()))?;
    if !text.trim_start().starts_with('{') {
        return Err(wrong(if text.trim_start().starts_with('[') {
            "is a JSON array, and a record is an object".into()
        } else {
            "is neither a record (JSON) nor a trace".into()
        }));
    }
    let records: Result<Vec<Record>, _> = Deserializer::from_str(text).into_iter().collect();
    if !records.as_ref().is_ok_and(|records| records.iter().all(|record| record.schema == SCHEMA)) {
        for head in Deserializer::from_str(text).into_iter::<Head>() {
            checked(&head.map_err(|error| wrong(broken(text, &error)))?).map_err(wrong)?;
        }
    }
    records.map_err(|error| wrong(format!("calls itself {SCHEMA}, but is none: {error}")))
}

/// Whether this is a record that can be read; else what it is instead.
fn checked(head: &Head) -> Result<(), String> {
    let Some(schema) = head.schema.as_str() else {
        return Err("is JSON of another program: it has no \"schema\"".into());
    };
    let schema = shown(schema);
    let Some((name, version)) = schema.split_once('/') else {
        return Err(format!("is JSON of another program: its \"schema\" is '{schema}'"));
    };
    match (name, version.parse::<u64>()) {
        _ if schema == SCHEMA => Ok(()),
        ("clockscope", Ok(_)) => {
            let by = head
                .tool
                .get("version")
                .and_then(Value::as_str)
                .map_or_else(String::new, |version| format!(", written by clockscope {}", shown(version)));
            let own = env!("CARGO_PKG_VERSION");
            Err(format!(
                "is a record of schema {schema}{by}, and clockscope {own} reads {SCHEMA}: take the one that wrote it"
            ))
        }
        (other, Ok(_)) if other.starts_with("clockscope-") => {
            Err(format!("is a result of another kind ({schema}), and here a survey's record is wanted"))
        }
        _ => Err(format!("is JSON of another program: its \"schema\" is '{schema}'")),
    }
}

/// A name from a file as messages show it: short, and without what a terminal would obey.
fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = include_str!("../tests/fixtures/record.json");

    fn said(content: &[u8]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.json");
        fs::write(&file, content).unwrap();
        match read(&file) {
            Err(Failure::Usage(why)) => why.replace(file.to_str().unwrap(), "FILE"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_no_record_is_named_for_what_it_is() {
        let half = &RECORD.as_bytes()[..RECORD.len() / 2];
        let later = RECORD.replacen("clockscope/1", "clockscope/2", 1);
        let nan = RECORD.replacen("9.508", "NaN", 1);
        let huge = RECORD.replacen("9.508", "1e999", 1);
        let null = RECORD.replacen("\"median\": 9.508", "\"median\": null", 1);
        for (content, words) in [
            (&b""[..], "FILE is empty; `clockscope --output"),
            (half, "FILE ends before its record does: EOF"),
            (later.as_bytes(), "FILE is a record of schema clockscope/2, written by clockscope 0.1.0, and clockscope"),
            (nan.as_bytes(), "FILE has NaN at line"),
            (b"{\"schema\": -Infinity}", "FILE has -Infinity at line 1, which is no number of JSON; `clockscope"),
            (b"{\"schema\": nothing}", "FILE is no JSON: expected ident at line 1"),
            (huge.as_bytes(), "FILE calls itself clockscope/1, but is none: number out of range at line"),
            (null.as_bytes(), "FILE calls itself clockscope/1, but is none: invalid type: null, expected f64 at line"),
            (b"{}", "FILE is JSON of another program: it has no \"schema\""),
            (b"{\"schema\": 7}", "it has no \"schema\""),
            (b"{\"schema\": \"else/1\x7f\"}", "its \"schema\" is 'else/1'"),
            (b"{\"schema\": \"clockscope/1\"}", "but is none: missing field `tool`"),
            (b"{\"schema\": \"clockscope-skew/1\"}", "a result of another kind (clockscope-skew/1)"),
            (b"[1]", "FILE is a JSON array"),
            (b"tsc 20\n", "FILE is neither a record"),
            (b"\xff\xfe", "FILE is neither a record"),
            (b"\x1f\x8bno", "FILE is no trace"),
        ] {
            let why = said(content);
            assert!(why.contains(words), "{why}");
        }
        assert!(said((RECORD.to_owned() + RECORD).as_bytes()).contains("FILE holds 2 records"));
    }

    #[test]
    fn a_folder_is_all_records_and_traces_in_it_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let all = || read_all(&[folder.path().to_owned()]);
        fs::write(at("notes.txt"), "none").unwrap();
        assert!(matches!(all(), Err(Failure::Usage(why)) if why.contains("is a directory without a *.json")));
        assert!(matches!(read(folder.path()), Err(Failure::Usage(why)) if why.contains("is a directory, and here")));
        fs::write(at("b.json"), RECORD).unwrap();
        let trace = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces/intel-spr.trace");
        fs::copy(trace, at("c.trace")).unwrap();
        fs::write(at("a.JSON"), RECORD.to_owned() + RECORD).unwrap();
        let found = all().unwrap();
        let names: Vec<_> = found.iter().filter_map(|(path, _)| path.file_name()?.to_str()).collect();
        assert_eq!(names, ["a.JSON", "a.JSON", "b.json", "c.trace"]);
        assert_eq!(found[3].1.schema, SCHEMA);
        assert!(read_all(&["-".into(), "-".into()]).is_err());
    }
}
