//! Injected faults are found, all of them and no others, with their sizes.

use clockscope_interpose::{Injection, Kind, compare};

use crate::{alone, monotonic, no_fault};

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
        let clock = monotonic("--time 100ms --reads 120000", Some(&injection));
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
fn a_sound_clock_has_no_faults_and_is_called_interposed_where_it_is() {
    let _alone = alone();
    let idle = Injection::new("monotonic watch", 1).unwrap();
    for injection in [None, Some(&idle)] {
        let clock = monotonic("--time 100ms --reads 500000", injection);
        no_fault(&clock, "sound");
        let by = clock.interposed_by.map(|by| by.contains("interpose"));
        assert_eq!(by, injection.map(|_| true));
    }
}

#[test]
fn failed_reads_are_counted_one_by_one() {
    let _alone = alone();
    for errno in ["EINVAL", "EPERM", "ENOSYS"] {
        // Beyond the reads that the catalogue makes to see whether the clock can be read at all.
        let script =
            format!("monotonic fail {errno} at=1000,1001,5000,20000; monotonic fail EPERM every=997 from=30000");
        let injection = Injection::new(script, 1).unwrap();
        let clock = monotonic("--time 100ms --reads 60000", Some(&injection));
        let injected = injection.log().unwrap().count("monotonic", Kind::Fail);
        assert!(injected > 20, "{injected} failures in {} reads", clock.reads);
        assert_eq!(clock.failed_reads, injected, "{errno}");
        assert_eq!((clock.regressions.count, clock.warps.count), (0, 0), "{errno}: {:#?}", clock.events);
    }
}
