//! Interruptions and timers.

use clockscope_analysis::record::CpuInterruptions;
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
        insta::assert_snapshot!(format!("interruptions_{width}"), interruptions::interruptions(&away(), at(width)));
    }
    insta::assert_snapshot!("interruptions_many_80", interruptions::interruptions(&many(), at(80)));
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
    assert!(interruptions::interruptions(&quiet, at(80)).contains("never away for more than"));
}

#[test]
fn how_late_sleeps_end() {
    for width in [40, 80, 120] {
        insta::assert_snapshot!(format!("timers_{width}"), timers::timers(&slept(), false, at(width)));
    }
    insta::assert_snapshot!("timers_all_200", timers::timers(&slept(), true, at(200)));
    insta::assert_snapshot!("timers_markdown", timers::markdown(&slept()));
    insta::assert_snapshot!("timers_csv", csv::timers(&slept().rows));
    let mut nothing = slept();
    nothing.rows.clear();
    nothing.causes.clear();
    assert!(timers::timers(&nothing, false, at(80)).contains("nothing slept"));
}
