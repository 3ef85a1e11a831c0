//! Records as tables. What data frames and databases make of the files, the Python package's tests tell.

use std::fs;

use super::*;

const RECORD: &str = include_str!("../fixtures/record.json");
const TABLES: [&str; 4] = ["clocks", "findings", "machines", "skew_pairs"];

/// A folder with this record; the record's file; the folder for the tables.
fn given(record: &str) -> (TempDir, String, String) {
    let folder = TempDir::new().unwrap();
    let (file, tables) = (folder.path().join("a.json"), folder.path().join("b/tables"));
    fs::write(&file, record).unwrap();
    let names = [file, tables].map(|path| path.to_str().unwrap().to_owned());
    let [file, tables] = names;
    (folder, file, tables)
}

fn names(folder: &str) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn each_format_has_four_files_and_says_what_is_in_them() {
    for (format, args) in [("parquet", &[][..]), ("csv", &["--format", "csv"]), ("jsonl", &["--format", "jsonl"])] {
        let (_folder, file, tables) = given(RECORD);
        let trace = format!("{}/tests/traces/kvm-clock.trace", env!("CARGO_MANIFEST_DIR"));
        let said = quiet(run(&[&["export", &file, &trace, "-o", &tables], args].concat()));
        assert_eq!(names(&tables), TABLES.map(|name| format!("{name}.{format}")));
        assert!(said.contains(&format!("machines.{format}: 2 rows\n")) && said.ends_with("of 2 records\n"), "{said}");
        let bytes = fs::read(format!("{tables}/clocks.{format}")).unwrap();
        assert_eq!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), format == "parquet");
        let text = String::from_utf8_lossy(&bytes);
        if format == "csv" {
            let survey = quiet(run(&["analyze", &trace, "--format", "csv"]));
            // Behind the file and the run's id, the survey's own lines.
            let own: Vec<String> = text
                .lines()
                .filter(|line| line.starts_with("file,") || line.contains("kvm-clock.trace,"))
                .map(|line| line.splitn(3, ',').nth(2).unwrap().to_owned())
                .collect();
            assert_eq!(own, survey.lines().collect::<Vec<_>>());
        }
        if format == "jsonl" {
            let line: serde_json::Value = text.lines().next().unwrap().parse().unwrap();
            assert_eq!((&line["id"], &line["cost_ns_median"]), (&"tsc".into(), &9.508.into()));
        }
    }
}

#[test]
fn what_can_t_be_exported_is_refused_and_leaves_no_files() {
    let (_folder, file, tables) = given(&RECORD[..RECORD.len() / 2]);
    let refused = |args: &[&str], words: &str| {
        let (code, out, err) = run(args);
        assert!(code == Some(2) && out.is_empty() && err.contains(words), "{args:?}: {code:?} {out} {err}");
    };
    refused(&["export", &file, "-o", &tables], "ends before its record does");
    assert!(!fs::exists(&tables).unwrap(), "{:?}", names(&tables));
    refused(&["export", &file], "name the directory for them by --output DIR");
    refused(&["export", &file, "-o", "-"], "name the directory for them by --output DIR");
    refused(&["export", &file, "-o", &file], "is a file, and export writes several: name a directory");
    refused(&["export", &file, "-o", &tables, "--format", "json"], "export writes parquet, csv or jsonl, and not json");
    refused(&["export", &file, "-o", &tables, "--time", "1s"], "--time is for measuring");
    refused(&["export", "-o", &tables], "<RECORD>");
    refused(&["--format", "parquet"], "--format parquet is for `clockscope export` alone");
}

#[test]
fn a_run_that_stands_there_twice_is_told() {
    let (_folder, file, tables) = given(RECORD);
    let (code, out, err) = run(&["export", &file, &file, "-o", &tables]);
    assert!(code == Some(0) && out.ends_with("of 2 records\n"), "{code:?} {out}");
    assert!(err.contains("1 record of a run that another one tells of"), "{err}");
}

#[test]
fn a_place_that_takes_nothing_is_named() {
    let (folder, file, _) = given(RECORD);
    let below = format!("{file}/x");
    let (code, _, err) = run(&["export", &file, "-o", &below]);
    assert!(matches!(code, Some(2 | 3)) && err.contains("can't create"), "{code:?} {err}");
    let taken = folder.path().join("taken");
    fs::create_dir_all(taken.join("clocks.parquet")).unwrap();
    let (code, _, err) = run(&["export", &file, "-o", taken.to_str().unwrap()]);
    assert!(code == Some(3) && err.contains("can't write") && err.contains("clocks.parquet"), "{code:?} {err}");
}
