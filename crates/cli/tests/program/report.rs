//! Records as a page, and the series that its plots are drawn of.

use std::fs;

use clockscope_analysis::record::{Event, EventKind, Record};

use super::*;

const RECORD: &str = include_str!("../fixtures/record.json");

fn put(folder: &TempDir, name: &str, content: &str) -> String {
    let file = folder.path().join(name);
    fs::write(&file, content).unwrap();
    file.to_str().unwrap().to_owned()
}

/// The JSON in the page.
fn data(page: &str) -> serde_json::Value {
    let text = page.split("id=\"data\">").nth(1).and_then(|rest| rest.split("</script>").next()).unwrap();
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_record_is_a_page_that_asks_for_nothing_and_runs_nothing_of_it() {
    let folder = TempDir::new().unwrap();
    let mut record: Record = serde_json::from_str(RECORD).unwrap();
    let bad = "</script><script>alert(1)</script><img src=//x.y/z>";
    record.machine.hostname = Some(bad.into());
    let (kind, cause) = (EventKind::Warp, bad.to_owned());
    let event = Event { kind, size_ns: 5e3, size_uncertainty_ns: None, at_ns: 1e9, cpu: None, cause };
    record.clocks[0].events.push(event);
    record.findings[0].title = bad.into();
    record.run.reference = bad.into();
    let file = put(&folder, "a.json", &serde_json::to_string(&record).unwrap());
    let page = quiet(run(&["report", &file]));
    assert_eq!(page.matches("<script").count(), 3, "its data, uPlot and its own");
    assert!(
        page.contains("Copyright (c) 2022 Leon Sorokin") && page.contains("this permission notice shall be included")
    );
    assert!(!page.contains("<img") && !page.contains("src=\"") && !page.contains("style=\""));
    let links: Vec<&str> = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(links.iter().all(|link| link.starts_with('#') || *link == "data:,"), "{links:?}");
    assert!(page.contains("default-src &#39;none&#39;") && page.contains("<noscript>") && page.contains("alert(1)"));
    assert_eq!(data(&page)[0]["reference"], bad);
    // All that the survey says in Markdown stands there without JavaScript.
    for words in ["Which to use", "<h2>Findings</h2>", "monotonic-raw", "CS009"] {
        assert!(page.contains(words), "{words}");
    }
}

#[test]
fn several_records_traces_and_a_pipe_come_one_after_the_other() {
    let folder = TempDir::new().unwrap();
    let a = put(&folder, "a.json", RECORD);
    let trace = format!("{}/tests/traces/kvm-clock.trace", env!("CARGO_MANIFEST_DIR"));
    let page = quiet(run(&["report", &a, &trace]));
    assert_eq!(page.matches("<section class=\"record\"").count(), 2);
    assert!(page.contains("href=\"#record-1\"") && page.contains("2 records"));
    let all = data(&page);
    let curves = |record: usize| {
        let clocks = all[record]["clocks"].as_array().unwrap();
        clocks.iter().filter(|clock| !clock["cost"][0].as_array().unwrap().is_empty()).count()
    };
    // Of the fixture one clock has series; of a trace all have.
    assert!(curves(0) == 1 && curves(1) > 3, "{} {}", curves(0), curves(1));
    let mut piped = clockscope(&["report", "-"]);
    let page = quiet(done(piped.stdin(fs::File::open(&a).unwrap())));
    assert!(page.contains("standard input"));
}

#[test]
fn what_can_t_be_a_page_is_refused_with_the_way_out() {
    let folder = TempDir::new().unwrap();
    let a = put(&folder, "a.json", RECORD);
    refused(run(&["report", &a, "--format", "json"]), 2, &["report writes HTML", "--format"]);
    refused(run(&["report", &a, "--time", "1s"]), 2, &["--time is for measuring"]);
    refused(run(&["report", "-", "-"]), 2, &["once only"]);
    refused(run(&["report", "none.json"]), 2, &["none.json"]);
    refused(run(&["report", &put(&folder, "half.json", &RECORD[..900])]), 2, &["half.json"]);
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    refused(run(&["report", empty.to_str().unwrap()]), 2, &["empty"]);
    let (code, out, err) = run(&["report", &a, "--output", "/dev/full"]);
    assert!(code == Some(3) && err.contains("no space left") && out.contains("<!doctype html>"), "{code:?} {err}");
}

#[test]
fn series_are_in_the_record_on_request_and_the_same_of_its_trace() {
    let folder = TempDir::new().unwrap();
    let trace = folder.path().join("a.trace");
    let trace = trace.to_str().unwrap();
    let survey = ["--time", "300ms", "--clock", "monotonic,tsc", "--format", "json"];
    let live = well(run(&[&survey[..], &["--series", "--machine-id", "--trace", trace]].concat()));
    let record: Record = serde_json::from_str(&live).unwrap();
    assert_eq!(record.series.len(), record.clocks.len());
    for series in &record.series {
        let (cost, differences, offset) = (&series.cost, &series.differences, &series.offset);
        assert!(cost.low_ns.len() == cost.reads.len() && cost.high_ns.len() == cost.reads.len());
        assert!(cost.reads.iter().sum::<u64>() > 100 || series.missing.contains_key("cost"), "{series:?}");
        assert!(differences.counts.len() == differences.times.len() && !differences.counts.is_empty(), "{series:?}");
        assert!(offset.low_ns.iter().zip(&offset.high_ns).all(|(low, high)| low <= high), "{offset:?}");
        assert!(offset.at_ns.is_sorted() && offset.at_ns.len() == offset.low_ns.len(), "{offset:?}");
    }
    let again = well(run(&["analyze", trace, "--series", "--format", "json"]));
    assert_eq!(again, live);
    let without: Record = serde_json::from_str(&well(run(&["analyze", trace, "--format", "json"]))).unwrap();
    assert_eq!(without, Record { series: Vec::new(), ..record.clone() });
    // When, and which: of each run its own; which machine only on request.
    let other: Record = serde_json::from_str(&well(run(&survey))).unwrap();
    assert!(other.run.id.is_some() && other.run.id != record.run.id && other.machine.id.is_none());
    let told = record.machine.unreadable.iter().any(|why| why.starts_with("id: "));
    assert!(record.machine.id.is_some() != told, "{:?} {:?}", record.machine.id, record.machine.unreadable);
    let at = record.run.started_at.unwrap();
    assert!(at.utc.ends_with('Z') && at.utc[..19] >= record.run.started.unwrap()[..19], "{at:?}");

    refused(run(&["--series"]), 2, &["--series is for JSON", "--format json"]);
    refused(run(&["--series", "--runs", "2", "--format", "json"]), 2, &["--series", "--runs"]);
    refused(run(&["skew", "--series"]), 2, &["--series"]);
}
