//! Samples of other programs, as files and from a pipe.

use std::fs;
use std::io::Write;
use std::path::Path;

use clockscope_analysis::record::Samples;

use super::*;

/// Steps of 100 ns, with a step back on line 301 and a run of three equal readings.
fn readings() -> Vec<u64> {
    let mut at = 5_000_000;
    let next = |i: u64| {
        match i {
            300 => at -= 700,
            600 | 601 => {}
            _ => at += 100 * (1 + i * i % 7),
        }
        at
    };
    (0..1000).map(next).collect()
}

fn put(folder: &TempDir, name: &str, bytes: &[u8]) -> String {
    let file = folder.path().join(name);
    fs::write(&file, bytes).unwrap();
    file.to_str().unwrap().to_owned()
}

fn lines(of: impl Fn(u64) -> String) -> String {
    readings().into_iter().map(of).collect()
}

fn analyzed(args: &[&str]) -> Samples {
    let json = quiet(run(&[&["analyze", "--format", "json"], args].concat()));
    obeying("samples.schema.json", &json)
}

/// What a program writes to `clockscope analyze -`.
fn piped(args: &[&str], bytes: &[u8]) -> Ended {
    let mut child = start(clockscope(&[&["analyze", "-", "--format", "json"], args].concat()).stdin(Stdio::piped()));
    // It may have ended already.
    let _ = child.stdin.take().unwrap().write_all(bytes);
    text(child.wait_with_output().unwrap())
}

#[test]
fn each_way_to_write_them_comes_to_the_same() {
    let folder = TempDir::new().unwrap();
    let text = put(&folder, "a.txt", lines(|at| format!("c {at}\n")).as_bytes());
    let table = put(&folder, "a.csv", format!("cpu,t\n{}", lines(|at| format!("1,{at}\r\n"))).as_bytes());
    let binary: Vec<u8> = readings().iter().flat_map(|at| at.to_le_bytes()).collect();
    let binary = put(&folder, "a.u64", &binary);
    let whole = analyzed(&[&text, "--tick", "1/1000000000"]);
    let clock = &whole.clocks[0];
    assert_eq!((clock.samples, clock.backward.unwrap().count, clock.steps_back[0].at), (1000, 1, 301));
    assert_eq!((clock.stalls.unwrap().count, clock.stalls.unwrap().longest_reads), (1, 3));
    assert_eq!(whole.notes.len(), 0, "{:?}", whole.notes);
    let same = |other: &Samples| {
        let mut other = other.clocks[0].clone();
        other.steps_back.clone_from(&clock.steps_back);
        assert_eq!(&other, clock);
    };
    same(&analyzed(&[&table, "--column", "t", "--label", "c", "--tick", "1e-9"]));
    same(&analyzed(&[&binary, "--input", "u64le", "--label", "c", "--tick", "1e-9"]));
    let from_pipe = well(piped(&["--tick", "1e-9"], &fs::read(&text).unwrap()));
    same(&serde_json::from_str(&from_pipe).unwrap());
    let table = quiet(run(&["analyze", &text, "--format", "csv"]));
    assert_eq!(table.lines().count(), 2);
}

#[test]
fn differences_that_deltas_wrote_are_read() {
    let raw = run(&["deltas", "monotonic", "--raw", "--time", "50ms"]);
    assert_eq!(raw.0, Some(0), "{raw:?}");
    let samples: Samples = serde_json::from_str(&well(piped(&["--deltas"], raw.1.as_bytes()))).unwrap();
    let clock = &samples.clocks[0];
    assert_eq!((clock.label.as_str(), clock.samples), ("monotonic", raw.1.lines().count() as u64));
    assert_eq!(clock.differences_ns.unwrap().count, clock.samples);
}

#[test]
fn bad_input_ends_with_its_place_and_what_stood_before_it_if_asked_for() {
    let folder = TempDir::new().unwrap();
    let text = put(&folder, "a.txt", b"c 1\nc 3\nc nan\n");
    let why = [text.as_str(), "line 3: 'nan' is no number"];
    refused(run(&["analyze", &text]), 2, &why);
    let (code, out, err) = run(&["analyze", &text, "--keep-going", "--format", "json"]);
    assert_eq!(code, Some(2));
    assert!(err.contains(why[1]), "{err}");
    assert_eq!(serde_json::from_str::<Samples>(&out).unwrap().clocks[0].samples, 2);
    let cut = put(&folder, "a.u64", &[0; 11]);
    refused(run(&["analyze", &cut, "--input", "u64le"]), 2, &["byte 8: the last number has 3 of its 8 bytes"]);
    refused(run(&["analyze", &cut]), 2, &["line 1: it holds bytes of no text", "--input u64le"]);
    let first = put(&folder, "first.txt", b"c nan\n");
    refused(run(&["analyze", &first, "--keep-going"]), 2, &["line 1"]);
    refused(run(&["analyze", &text, "--tick", "0"]), 2, &["1/10000000"]);
    refused(run(&["analyze", &text, "--label", "b"]), 2, &["line 3"]);
    refused(run(&["analyze", folder.path().to_str().unwrap()]), 2, &["can't read"]);
    let bracket = put(&folder, "bracket.txt", b"[main] 1\n[main] 5\n");
    for args in [&["analyze", &bracket][..], &["analyze", &bracket, "--tick", "1"]] {
        refused(run(args), 2, &["for samples, --input text"]);
    }
    assert_eq!(analyzed(&[&bracket, "--input", "text", "--tick", "1"]).clocks[0].label, "[main]");
    let trace = format!("{}/tests/traces/intel-spr.trace", env!("CARGO_MANIFEST_DIR"));
    refused(run(&["analyze", &trace, "--tick", "1"]), 2, &["--tick is for samples"]);
    refused(piped(&[], b""), 2, &["standard input is empty; `clockscope"]);
}

/// It counts as far as it went when it was opened.
#[test]
fn a_file_that_grows_ends_all_the_same() {
    let folder = TempDir::new().unwrap();
    let file = put(&folder, "a.txt", lines(|at| format!("c {at}\n")).repeat(200).as_bytes());
    let mut grows = fs::OpenOptions::new().append(true).open(Path::new(&file)).unwrap();
    let mut child = start(&mut clockscope(&["analyze", &file, "--format", "json"]));
    while child.try_wait().unwrap().is_none() {
        grows.write_all(&b"c 123456789\n".repeat(100)).unwrap();
    }
    let (code, out, err) = text(child.wait_with_output().unwrap());
    assert_eq!(code, Some(0), "{err}");
    assert!(serde_json::from_str::<Samples>(&out).unwrap().clocks[0].samples >= 200_000);
}
