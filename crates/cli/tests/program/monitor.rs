//! `clockscope monitor`, run.

use std::io::{BufRead, BufReader, Read};

use clockscope_analysis::record::{MonitorReport, MonitorRow};

use super::*;

const SHORT: [&str; 6] = ["monitor", "--every", "50ms", "--time", "1s", "--no-progress"];

#[test]
fn every_look_is_a_line_a_clock_and_the_report_comes_last() {
    let (code, out, err) = done(clockscope(&SHORT).args(["--clock", "realtime,monotonic-raw", "--format", "jsonl"]));
    assert_eq!(code, Some(0), "{err}");
    let lines: Vec<&str> = out.lines().collect();
    let (report, rows) = lines.split_last().unwrap();
    let report: MonitorReport = obeying("monitor.schema.json", report);
    let rows: Vec<MonitorRow> = rows.iter().map(|row| obeying("monitor-line.schema.json", row)).collect();
    for row in rows.iter().filter(|row| row.at_s == rows[0].at_s) {
        assert_eq!((row.rate_ppm, row.whole_ppm), (None, None), "a rate takes two looks");
    }
    assert_eq!(rows.len() as u64, report.clocks.iter().map(|clock| clock.looks).sum::<u64>());
    assert!(report.looks >= 2 && report.clocks.len() == 2, "{report:?}");
    for row in &rows {
        assert!(row.gained_low_ns <= row.gained_ns && row.gained_ns <= row.gained_high_ns, "{row:?}");
    }
    let (code, out, _) = done(clockscope(&SHORT).args(["--clock", "realtime", "--format", "csv"]));
    assert_eq!((code, out.starts_with("at_s,clock,gained_ns,")), (Some(0), true), "{out}");
}

#[test]
fn a_trace_of_it_comes_to_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("watch.trace");
    let trace = trace.to_str().unwrap();
    for format in ["json", "csv", "jsonl"] {
        let (code, live, err) = done(clockscope(&SHORT).args(["--format", format, "--trace", trace]));
        assert_eq!(code, Some(0), "{err}");
        let (code, again, err) = done(&mut clockscope(&["analyze", trace, "--format", format]));
        assert_eq!((code, again == live), (Some(0), true), "{format}: {err}\n{live}\n{again}");
    }
}

#[test]
fn a_watch_that_is_killed_leaves_its_looks_in_the_trace() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("watch.trace");
    let trace = trace.to_str().unwrap();
    let mut child = clockscope(&["monitor", "--every", "50ms", "--clock", "realtime", "--plain", "--trace", trace])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let seen = lines.by_ref().filter(|line| line.contains("realtime")).nth(60);
    kill("-KILL", &child.id().to_string());
    child.wait().unwrap();
    assert!(seen.is_some(), "it went on");
    let (code, out, err) = done(&mut clockscope(&["analyze", trace, "--format", "json"]));
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("can't be read beyond its observation"), "{err}");
    let report: MonitorReport = serde_json::from_str(&out).unwrap();
    // All but the last second, a look before it included.
    assert!(report.looks >= 35, "{}", report.looks);
}

#[test]
fn one_cpu_is_enough_and_a_closed_pipe_ends_it() {
    let on_one = well(done(&mut on_one(clockscope(&SHORT).args(["--format", "json"]))));
    let report: MonitorReport = serde_json::from_str(&on_one).unwrap();
    assert!(!report.clocks.is_empty());
    let mut child =
        clockscope(&["monitor", "--every", "20ms"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert!(line.starts_with("Against monotonic"), "{line}");
    drop(out);
    // It ends by itself, without a time: nobody takes its lines.
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{err}");
}

#[test]
fn what_can_not_be_watched_is_refused_with_a_way_out() {
    for (args, wanted) in [
        (&["--clock", "thread-cputime"][..], "counts CPU time"),
        (&["--every", "1ms"], "--every is from 10ms"),
        (&["--every", "2h"], "--every is from 10ms"),
        (&["--reads", "1000"], "take --time"),
        (&["--clock", "monotonic", "--ref", "thread-cputime"], "can't be the reference"),
    ] {
        let (code, out, err) = done(clockscope(&["monitor", "--time", "1s"]).args(args));
        assert!(code == Some(2) && out.is_empty() && err.contains(wanted), "{args:?}: {code:?} {err}");
    }
}
