//! Injected faults are found, all of them and no others, with their sizes.

use clockscope_analysis::record::{Clock, Record};
use clockscope_interpose::{Injection, Kind, compare, survey};

use crate::{alone, clockscope};

/// A survey of one clock under a script: of so many reads, however long they take here.
fn survey_of(id: &str, reads: &str, injection: Option<&Injection>) -> (Record, Clock) {
    let arguments = ["--clock", id, "--time", "100ms", "--reads", reads];
    let record = survey(clockscope(), &arguments, injection).unwrap();
    let clock = record.clocks.iter().find(|clock| clock.id == id).expect("the clock that was asked for").clone();
    (record, clock)
}

#[test]
fn injected_faults_are_counted_exactly() {
    let _alone = alone();
    for seed in 1..=5_u64 {
        let (regressions, warps, stalls) = (6 + seed, 12 - seed, 5 + 2 * seed);
        // Farther apart than the longest row of reads: of two faults in a row with an interruption one may be hidden.
        let script = format!(
            "monotonic spread first=20000 spacing=1700 least=1100; monotonic regression 1us..10ms count={regressions};
            monotonic warp 1us..10ms count={warps}; monotonic stall 2..9 count={stalls}"
        );
        let injection = Injection::new(script, seed).unwrap();
        let (_, clock) = survey_of("monotonic", "120000", Some(&injection));
        let log = injection.log().unwrap();
        let injected = [Kind::Regression, Kind::Warp, Kind::Stall].map(|kind| log.count("monotonic", kind));
        assert_eq!(
            injected,
            [regressions, warps, stalls],
            "seed {seed}: the survey made too few reads: {:?}",
            log.reads
        );
        let found = compare(&clock, &log);
        assert_eq!(found.wrong, [""; 0], "seed {seed}: {:#?} {:#?}", log.entries, clock.events);
        assert_eq!(found.matches.len() as u64, regressions + warps, "seed {seed}");
    }
}

#[test]
fn a_sound_clock_has_no_faults() {
    let _alone = alone();
    let idle = Injection::new("monotonic watch", 1).unwrap();
    for injection in [None, Some(&idle)] {
        let (_, clock) = survey_of("monotonic", "500000", injection);
        let found = (clock.regressions.count, clock.warps.count, clock.stalls.unexplained);
        assert_eq!(found, (0, 0, 0), "regressions, warps, stalls: {:#?}", clock.events);
    }
}

#[test]
fn an_interposed_clock_is_called_so() {
    let _alone = alone();
    let idle = Injection::new("monotonic watch", 1).unwrap();
    let by = survey_of("monotonic", "1000", Some(&idle)).1.interposed_by;
    assert!(by.as_deref().is_some_and(|by| by.contains("interpose")), "interposed_by: {by:?}");
    assert_eq!(survey_of("monotonic", "1000", None).1.interposed_by, None);
}

#[test]
fn failed_reads_are_counted_one_by_one() {
    let _alone = alone();
    for errno in ["EINVAL", "EPERM", "ENOSYS"] {
        // Beyond the reads that the catalogue makes to see whether the clock can be read at all.
        let script =
            format!("monotonic fail {errno} at=1000,1001,5000,20000; monotonic fail EPERM every=997 from=30000");
        let injection = Injection::new(script, 1).unwrap();
        let (_, clock) = survey_of("monotonic", "60000", Some(&injection));
        let injected = injection.log().unwrap().count("monotonic", Kind::Fail);
        assert!(injected > 20, "{injected} failures in {} reads", clock.reads);
        assert_eq!(clock.failed_reads, injected, "{errno}");
        assert_eq!((clock.regressions.count, clock.warps.count), (0, 0), "{errno}: {:#?}", clock.events);
    }
}
