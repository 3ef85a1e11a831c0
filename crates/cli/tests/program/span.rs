//! `clockscope span`.

use clockscope_analysis::record::SpanReport;

use crate::*;

#[test]
fn every_clock_has_its_curve_and_its_empty_pairs() {
    let json = quiet(run(&["span", "--clock", "monotonic,monotonic-coarse", "--time", "900ms", "--format", "json"]));
    let report: SpanReport = obeying("span.schema.json", &json);
    let [monotonic, coarse] = &report.clocks[..] else { panic!("{report:?}") };
    assert_eq!((monotonic.clock.as_str(), coarse.clock.as_str()), ("monotonic", "monotonic-coarse"));
    for clock in [monotonic, coarse] {
        assert!(clock.lots > 0 && clock.failed_reads == 0, "{clock:?}");
        assert!(clock.empty.iter().all(|of| of.pairs > 0) && clock.empty.iter().any(|of| of.pinned), "{clock:?}");
    }
}

#[test]
fn every_format_and_so_many_pairs_as_asked() {
    for (format, word) in [("table", "monotonic: "), ("csv", "clock,within,"), ("markdown", "| Clock |")] {
        let clock = ["--clock", "monotonic", "--time", "300ms", "--reads", "2000"];
        let out = well(run(&[&["span", "--format", format][..], &clock].concat()));
        assert!(out.contains(word), "{out}");
    }
}

#[test]
fn a_trace_of_it_says_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("span.trace");
    let trace = trace.to_str().unwrap();
    let one = ["span", "--clock", "monotonic", "--time", "300ms", "--format", "json", "--trace", trace];
    let live = well(run(&one));
    assert_eq!(well(run(&["analyze", trace, "--format", "json"])), live);
}
