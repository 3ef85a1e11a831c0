//! Verdicts on machines whose best clocks are known.

use crate::judge::judge;
use crate::judge::made_up::{clock, healthy, hpet_machine, rejected, run, with_faults};
use crate::record::{Clock, Event, EventKind, Kind, Machine, Path, Verdict};

fn verdict(machine: &Machine, clocks: &[Clock]) -> Verdict {
    judge(machine, &run(), clocks, &[]).1
}

fn assert_says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "'{part}' is not in: {text}");
    }
    assert!(text.ends_with('.') && !text.contains(". "), "one sentence: {text}");
}

#[test]
fn a_wall_clock_that_was_set_is_still_the_one_for_wall_time() {
    let (machine, mut clocks) = healthy();
    let wall = clocks.iter_mut().find(|c| c.id == "realtime").unwrap();
    *wall = with_faults(wall.clone(), 1, 0, 0);
    let event = |cause: &str| Event {
        kind: EventKind::Regression,
        size_ns: 1e7,
        size_uncertainty_ns: None,
        at_ns: 1e9,
        cpu: None,
        cause: cause.into(),
    };
    wall.events = vec![event("unknown")];
    assert_eq!(judge(&machine, &run(), &clocks, &[]).1.wall, None);
    clocks.iter_mut().find(|c| c.id == "realtime").unwrap().events = vec![event("clock set")];
    let verdict = judge(&machine, &run(), &clocks, &[]).1;
    assert_eq!(verdict.wall.as_deref(), Some("realtime"));
    assert!(verdict.because.wall.contains("it was set during the run (CS018)"), "{}", verdict.because.wall);
}

#[test]
fn a_healthy_guest_on_the_tsc() {
    let (machine, clocks) = healthy();
    let v = verdict(&machine, &clocks);
    assert_eq!(v.intervals.as_deref(), Some("monotonic"));
    assert_says(
        &v.because.intervals,
        &[
            "23.3 ns",
            "vDSO",
            "10.015 ns",
            "1 000 000 reads",
            "monotonic-raw",
            "tsc-fenced (18.5 ns)",
            "truetick",
        ],
    );
    assert_eq!(v.wall.as_deref(), Some("realtime"));
    assert_says(&v.because.wall, &["23.4 ns", "10.015 ns", "within 2.1 ms"]);
    assert_eq!(v.cheap.as_deref(), Some("tsc"));
    assert_says(
        &v.because.cheap,
        &["9.5 ns", "not ordered", "monotonic-coarse is cheaper still (4.4 ns)", "4 ms"],
    );
}

#[test]
fn a_machine_on_hpet_though_the_tsc_is_there() {
    let (machine, clocks) = hpet_machine();
    let v = verdict(&machine, &clocks);
    assert_eq!(v.intervals.as_deref(), Some("monotonic"));
    assert_says(&v.because.intervals, &["1.25 µs", "system call", "69.841 ns"]);
    assert!(!v.because.intervals.contains("truetick"), "the kernel does not run on it");
    assert_eq!(v.cheap.as_deref(), Some("tsc"), "invariant and not rejected");
    assert_says(&v.because.cheap, &["runs on another source"]);
}

#[test]
fn a_rejected_tsc_is_never_named() {
    let (machine, clocks) = rejected();
    let v = verdict(&machine, &clocks);
    assert_eq!(v.intervals.as_deref(), Some("monotonic"));
    assert_eq!(v.cheap.as_deref(), Some("monotonic"), "the coarse clock's 4 ms are no stamp");
    assert_says(&v.because.cheap, &["1.25 µs", "monotonic-coarse is cheaper still"]);
    let only_coarse: Vec<Clock> =
        clocks.into_iter().filter(|c| c.id.starts_with("tsc") || c.kind == Kind::Coarse).collect();
    let v = verdict(&machine, &only_coarse);
    assert_eq!(v.cheap.as_deref(), Some("monotonic-coarse"));
    assert_says(&v.because.cheap, &["4 ms"]);
    assert_eq!(v.intervals, None);
}

#[test]
fn a_monotonic_clock_that_went_back_gives_way() {
    let (machine, mut clocks) = healthy();
    for c in &mut clocks {
        if c.id.starts_with("monotonic") && c.id != "monotonic-raw" {
            *c = with_faults(c.clone(), 308, 0, 0);
        }
    }
    let v = verdict(&machine, &clocks);
    assert_eq!(v.intervals.as_deref(), Some("monotonic-raw"));
    assert_says(&v.because.intervals, &["monotonic went back 308 times"]);
    assert!(v.cheap.as_deref() != Some("tsc"), "the kernel's clock over the same counter went back");
}

#[test]
fn all_clocks_faulty_means_none_and_says_why() {
    let (machine, clocks) = healthy();
    let clocks: Vec<Clock> = clocks.into_iter().map(|c| with_faults(c, 3, 2, 0)).collect();
    let v = verdict(&machine, &clocks);
    assert_eq!((&v.intervals, &v.wall, &v.cheap), (&None, &None, &None));
    assert_says(
        &v.because.intervals,
        &["No measured clock can be trusted", "monotonic went back 3 times and jumped 2 times"],
    );
    assert_says(&v.because.wall, &["realtime went back"]);
}

#[test]
fn faults_that_an_interposed_library_made_leave_the_counter_alone() {
    let (machine, mut clocks) = healthy();
    for c in &mut clocks {
        if c.id == "monotonic" || c.id == "monotonic-raw" {
            *c = with_faults(c.clone(), 3, 0, 0);
            c.interposed_by = Some("libfaulty.so".into());
        }
    }
    let v = verdict(&machine, &clocks);
    assert_eq!(v.cheap.as_deref(), Some("tsc"));
    assert_eq!(v.intervals.as_deref(), Some("tsc-fenced"));
    assert_says(&v.because.intervals, &["truetick", "monotonic went back 3 times"]);
}

#[test]
fn only_one_clock_surveyed() {
    let (machine, _) = healthy();
    let v = verdict(&machine, &[clock("realtime").kind(Kind::Wall).cost(23.0).quantum(10.0).build()]);
    assert_eq!(
        (v.intervals.as_deref(), v.wall.as_deref(), v.cheap.as_deref()),
        (None, Some("realtime"), None)
    );
    assert_says(&v.because.intervals, &["No clock fit for intervals was measured"]);
    let v = verdict(&machine, &[clock("monotonic").build()]);
    assert_eq!(v.intervals.as_deref(), Some("monotonic"));
    assert_says(&v.because.intervals, &["unknown time", "unknown size"]);
    assert_eq!(v.cheap, None, "neither its cost nor its quantum is known");
    let tscp = clock("tscp").kind(Kind::Counter).path(Path::Instruction).cost(18.2).quantum(10.0).build();
    let v = verdict(&machine, &[tscp]);
    assert_eq!(
        (v.intervals.as_deref(), v.wall.as_deref(), v.cheap.as_deref()),
        (Some("tscp"), None, Some("tscp"))
    );
    assert_says(&v.because.intervals, &["calibrate", "no monotonic clock was measured"]);
}

#[test]
fn a_forced_way_of_reading_is_never_the_verdict() {
    let (machine, clocks) = healthy();
    let forced: Vec<Clock> = clocks.into_iter().filter(|c| c.id.contains('@')).collect();
    let v = verdict(&machine, &forced);
    assert_eq!((v.intervals, v.wall, v.cheap), (None, None, None));
}

#[test]
fn nothing_measured() {
    let (machine, mut clocks) = healthy();
    for c in &mut clocks {
        (c.reads, c.cost_ns) = (0, None);
    }
    for clocks in [clocks.as_slice(), &[]] {
        let v = verdict(&machine, clocks);
        assert_eq!((v.intervals, v.wall, v.cheap), (None, None, None));
        for text in [v.because.intervals, v.because.wall, v.because.cheap] {
            assert_says(&text, &["Nothing was measured"]);
        }
    }
}

#[test]
fn a_much_cheaper_raw_clock_wins_and_a_slightly_cheaper_one_does_not() {
    let (machine, mut clocks) = healthy();
    for c in &mut clocks {
        if c.id == "monotonic" {
            *c = clock("monotonic").path(Path::Syscall).cost(244.0).quantum(10.015).reported(1.0).build();
        }
    }
    let v = verdict(&machine, &clocks);
    assert_eq!(v.intervals.as_deref(), Some("monotonic-raw"));
    assert_says(&v.because.intervals, &["monotonic costs 244 ns"]);
}

#[test]
fn an_unsynchronised_wall_clock_is_named_with_its_caveat() {
    let (mut machine, clocks) = healthy();
    machine.ntp.as_mut().unwrap().synchronised = false;
    let v = verdict(&machine, &clocks);
    assert_eq!(v.wall.as_deref(), Some("realtime"));
    assert_says(&v.because.wall, &["nothing synchronises it"]);
    machine.ntp = None;
    assert_says(&verdict(&machine, &clocks).because.wall, &["can't be told"]);
}

#[test]
fn a_stepped_realtime_gives_way_to_another_wall_clock_if_there_is_one() {
    let (machine, mut clocks) = healthy();
    for c in &mut clocks {
        if c.id == "realtime" {
            *c = with_faults(c.clone(), 1, 0, 0);
        }
    }
    assert_eq!(verdict(&machine, &clocks).wall, None);
    clocks.push(clock("gettimeofday").kind(Kind::Wall).cost(25.0).quantum(1000.0).build());
    let v = verdict(&machine, &clocks);
    assert_eq!(v.wall.as_deref(), Some("gettimeofday"));
    assert_says(&v.because.wall, &["realtime went back 1 time"]);
}

#[test]
fn steps_of_a_microsecond_are_no_cheap_stamp() {
    let (machine, mut clocks) = healthy();
    clocks.push(clock("boottime").kind(Kind::Boot).cost(3.0).quantum(1000.0).build());
    assert_eq!(verdict(&machine, &clocks).cheap.as_deref(), Some("tsc"));
    clocks.push(clock("uptime").kind(Kind::Boot).cost(3.0).quantum(999.0).build());
    assert_eq!(verdict(&machine, &clocks).cheap.as_deref(), Some("uptime"));
}
