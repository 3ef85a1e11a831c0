//! Interruptions and timers.

use clockscope_analysis::judge::{judge_interruptions, judge_threads, judge_timers};
use clockscope_analysis::record::{Cause, CpuInterruptions, LostTo};
use clockscope_cli::render::csv;

use super::*;

/// More CPUs than have tables of their own, one of them not watched.
pub(crate) fn many() -> InterruptionReport {
    let mut report = away();
    let cpu = report.cpus[0].clone();
    report.cpus = (0..8).map(|number| CpuInterruptions { cpu: number, ..cpu.clone() }).collect();
    let missing = [("lost_share".to_owned(), "no thread could be pinned to it".to_owned())].into();
    report.cpus[3] = CpuInterruptions { cpu: 3, missing, ..CpuInterruptions::default() };
    report
}

#[test]
fn where_the_time_went() {
    for width in [40, 80] {
        insta::assert_snapshot!(
            format!("interruptions_{width}"),
            interruptions::interruptions(&away(), false, at(width))
        );
    }
    insta::assert_snapshot!("interruptions_many_80", interruptions::interruptions(&many(), false, at(80)));
    insta::assert_snapshot!("interruptions_markdown", interruptions::markdown(&away()));
    insta::assert_snapshot!("interruptions_csv", csv::interruptions(&away().cpus));
    let mut quiet = away();
    quiet.cpus.truncate(1);
    let cpu = &quiet.cpus[0];
    quiet.cpus[0] = CpuInterruptions {
        count: 0,
        lost_ns: 0.0,
        lost_share: Some(0.0),
        causes: Vec::new(),
        lengths: Vec::new(),
        longest: Vec::new(),
        ..cpu.clone()
    };
    assert!(interruptions::interruptions(&quiet, false, at(80)).contains("never away for more than"));
    let missing =
        [("lost_share".to_owned(), "the time was over before the thread on this CPU had read anything".to_owned())];
    quiet.cpus[0] = CpuInterruptions { cpu: 1, missing: missing.into(), ..CpuInterruptions::default() };
    let text = interruptions::interruptions(&quiet, false, at(200));
    assert!(text.starts_with("CPU 1: nothing is known of the time that it was away: the time was over"), "{text}");
}

#[test]
fn how_late_sleeps_end() {
    for width in [40, 80, 120] {
        insta::assert_snapshot!(format!("timers_{width}"), timers::timers(&slept(), false, at(width)));
    }
    let narrow = timers::timers(&slept(), false, at(40));
    for length in ["1 µs", "1 ms", "100 ms"] {
        let told = narrow.lines().any(|line| line.starts_with("timerfd") && line.contains(length));
        assert!(told, "{length} is not hidden: {narrow}");
    }
    insta::assert_snapshot!("timers_all_200", timers::timers(&slept(), true, at(200)));
    insta::assert_snapshot!("timers_markdown", timers::markdown(&slept()));
    insta::assert_snapshot!("timers_csv", csv::timers(&slept().rows));
    let mut few = slept();
    for row in &mut few.rows {
        row.late_p99_ns = None;
        row.missing = ["late_ns", "late_p99_ns"].map(|field| (field.to_owned(), "1 sleep".to_owned())).into();
    }
    few.missing.insert("rows".into(), "nothing slept by any way for 10 ms: the run was over before their turn".into());
    let text = timers::timers(&few, true, at(200));
    let line = text.lines().find(|line| line.starts_with("timerfd")).unwrap();
    assert_eq!(line.split_whitespace().filter(|word| *word == "-").count(), 2, "neither ± nor p99: {line}");
    let text = timers::timers(&few, false, at(100));
    assert!(
        text.contains("Late by, the latest of all") && text.contains("Nothing slept by any way for 10 ms"),
        "{text}"
    );
    assert!(
        text.contains("A 99th percentile takes 100 sleeps: all rows have fewer; all rows have fewer than 6"),
        "{text}"
    );
    let mut nothing = slept();
    nothing.rows.clear();
    nothing.causes.clear();
    assert!(timers::timers(&nothing, false, at(80)).contains("nothing slept"));
}

/// The findings of each report are in its table and on its page.
#[test]
fn findings_are_shown_where_they_are_found() {
    let mut slept = slept();
    slept.high_resolution = Some(false);
    slept.findings = judge_timers(&slept);
    let mut away = away();
    let cpu = &mut away.cpus[0];
    cpu.lost_ns = cpu.seen_ns;
    cpu.causes = vec![LostTo { cause: Cause::Throttled, lost_ns: cpu.seen_ns, ..cpu.causes[0] }];
    away.findings = judge_interruptions(&away);
    let mut crowds = crowds();
    let pairs = &mut crowds.clocks[0].crowds[0].pairs;
    (pairs.went_back, pairs.went_back_largest_ns) = (1, Some(20.0));
    crowds.findings = judge_threads(&crowds);
    for (code, texts) in [
        ("CS030", [timers::timers(&slept, false, at(80)), timers::markdown(&slept)]),
        ("CS031", [interruptions::interruptions(&away, false, at(80)), interruptions::markdown(&away)]),
        ("CS033", [threads::threads(&crowds, false, at(80)), threads::markdown(&crowds)]),
    ] {
        assert!(texts.iter().all(|text| text.contains(code) && text.contains("Fix")), "{code}: {texts:?}");
    }
}
