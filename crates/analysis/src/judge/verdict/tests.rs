//! Verdicts on machines whose best clocks are known.

use crate::judge::made_up::{Case, clock, says};
use crate::record::{Clock, EventKind, Kind, Path, Verdict};

/// Checks a verdict: the ids for intervals, wall time and cheap stamps, and what is said of each.
#[track_caller]
fn check(case: &Case, [intervals, wall, cheap]: [&str; 3], parts: [&[&str]; 3]) {
    let Verdict { intervals: a, wall: b, cheap: c, because } = case.verdict();
    let chosen = [a, b, c].map(Option::unwrap_or_default);
    assert_eq!(chosen, [intervals, wall, cheap], "{because:#?}");
    for (text, parts) in [because.intervals, because.wall, because.cheap].iter().zip(parts) {
        says(text, parts);
        assert!(text.is_empty() || (text.ends_with('.') && !text.contains("..") && !text.starts_with(' ')), "{text}");
    }
}

/// A healthy machine but for faults of these clocks.
fn faulty(ids: &[&str], [regressions, warps, stalls]: [u64; 3]) -> Case {
    let mut case = Case::healthy();
    for c in case.clocks.iter_mut().filter(|c| ids.contains(&c.id.as_str())) {
        *c = c.clone().faults(regressions, warps, stalls);
    }
    case
}

#[test]
fn a_healthy_guest_on_the_tsc() {
    check(
        &Case::healthy(),
        ["monotonic", "realtime", "tsc"],
        [
            &["NTP steers its rate", "unsteered: monotonic-raw", "Cheaper: tsc-fenced, 18.50 ± 0.02 ns", "truetick"],
            &["Synchronised within 2.1 ms"],
            &["Raw ticks, not ordered", "Cheaper: monotonic-coarse, 4.40 ± 0.01 ns, resolution 4 ms."],
        ],
    );
}

#[test]
fn a_counter_of_another_architecture_is_taken_for_ordered_where_it_says_so() {
    for (base, source) in [("cntvct", "arch_sys_counter"), ("rdtime", "riscv_clocksource")] {
        let mut case = Case::healthy().on(source);
        case.machine.tsc = None;
        for c in case.clocks.iter_mut().filter(|c| c.kind == Kind::Counter) {
            (c.id, c.base) = (c.id.replace("tsc", base), base.into());
        }
        let fenced = format!("{base}-fenced, 18.5");
        let parts: [&[&str]; 3] = [&[&fenced], &[], &["not ordered"]];
        check(&case, ["monotonic", "realtime", base], parts);
    }
}

#[test]
fn a_machine_on_hpet_though_the_tsc_is_there() {
    // Nothing of truetick, as the kernel does not run on it; yet invariant and not rejected.
    check(&Case::hpet(), ["monotonic", "realtime", "tsc"], [&["!truetick"], &[], &["runs on another source"]]);
}

#[test]
fn a_rejected_counter_is_no_stamp_however_cheap() {
    let cheap: &[&str] = &["Cheaper: monotonic-coarse"];
    check(&Case::rejected(), ["monotonic", "realtime", "monotonic"], [&[], &[], cheap]);
    let mut coarse = Case::rejected();
    coarse.clocks.retain(|c| c.kind == Kind::Counter || c.kind == Kind::Coarse);
    check(&coarse, ["", "", "monotonic-coarse"], [&[], &[], &["4 ms"]]);
}

#[test]
fn a_monotonic_clock_that_went_back_gives_way_and_takes_the_counter_beneath_it_along() {
    let case = faulty(&["monotonic", "monotonic@vdso", "monotonic@syscall"], [308, 0, 0]);
    let parts: &[&str] = &["monotonic went back 308 times", "!truetick"];
    check(&case, ["monotonic-raw", "realtime", "monotonic-raw"], [parts, &[], &[]]);
}

#[test]
fn all_clocks_faulty_means_none_and_says_why() {
    let mut case = Case::healthy();
    case.clocks = case.clocks.into_iter().map(|c| c.faults(3, 2, 0)).collect();
    let intervals: &[&str] = &["No measured clock can be trusted", "monotonic went back 3 times and jumped 2 times"];
    check(&case, ["", "", ""], [intervals, &["realtime went back"], &[]]);
}

#[test]
fn faults_that_an_interposed_library_made_leave_the_counter_alone() {
    let mut case = faulty(&["monotonic", "monotonic-raw"], [3, 0, 0]);
    for id in ["monotonic", "monotonic-raw"] {
        case.clock(id).interposed_by = Some("libfaulty.so".into());
    }
    let intervals: &[&str] = &["truetick", "monotonic went back 3 times"];
    check(&case, ["tsc-fenced", "realtime", "tsc"], [intervals, &[], &[]]);
}

#[test]
fn only_one_clock_surveyed() {
    let only = |clock: Clock| Case::healthy().of([clock]);
    let wall = clock("realtime").kind(Kind::Wall).cost(23.0).quantum(10.0);
    check(&only(wall), ["", "realtime", ""], [&["No clock fit for intervals was measured"], &[], &[]]);
    // Neither its cost nor its quantum is known.
    check(&only(clock("monotonic")), ["monotonic", "", ""], [&["NTP steers"], &[], &[]]);
    let tscp = clock("tscp").with(|c| c.base = "tsc".into()).kind(Kind::Counter).path(Path::Instruction).cost(18.2);
    let intervals: &[&str] = &["calibrate", "No monotonic clock was measured"];
    check(&only(tscp.quantum(10.0)), ["tscp", "", "tscp"], [intervals, &[], &[]]);
}

#[test]
fn what_is_not_there_for_timing_is_never_the_verdict() {
    let mut case = Case::healthy();
    case.clocks.retain(|c| c.forced);
    check(&case, ["", "", ""], [&[], &[], &[]]);
    for kind in [Kind::Boot, Kind::Wall, Kind::CpuTime, Kind::Monotonic, Kind::Coarse] {
        let alarm =
            clock("some-alarm").kind(kind).cost(1.0).quantum(1.0).with(|c| c.for_timing = kind == Kind::CpuTime);
        check(&Case::healthy().of([alarm.clone()]), ["", "", ""], [&[], &[], &[]]);
        let mut beside = faulty(&["monotonic", "monotonic-raw"], [1, 0, 0]);
        beside.clocks.push(alarm);
        check(&beside, ["", "realtime", "monotonic-coarse"], [&[], &[], &[]]);
    }
}

#[test]
fn nothing_measured() {
    let unread = |case: &mut Case| case.clocks.iter_mut().for_each(|c| (c.reads, c.cost_ns) = (0, None));
    for case in [Case::healthy().but(unread), Case::healthy().of([])] {
        check(&case, ["", "", ""], [&["Nothing was measured"]; 3]);
    }
}

#[test]
fn a_much_cheaper_raw_clock_wins_and_a_slightly_cheaper_one_does_not() {
    let mut case = Case::healthy();
    *case.clock("monotonic") = clock("monotonic").path(Path::Syscall).cost(244.0).quantum(10.015);
    check(&case, ["monotonic-raw", "realtime", "tsc"], [&["monotonic costs 244.0 ± 0.3 ns."], &[], &[]]);
}

#[test]
fn an_unsynchronised_wall_clock_is_named_with_its_caveat() {
    let mut case = Case::healthy();
    case.ntp().synchronised = false;
    says(&case.verdict().because.wall, &["Unsynchronised"]);
    case.machine.ntp = None;
    says(&case.verdict().because.wall, &["can't be told"]);
}

#[test]
fn a_stepped_realtime_gives_way_to_another_wall_clock_if_there_is_one_and_was_not_set() {
    let case = faulty(&["realtime"], [1, 0, 0]);
    assert_eq!(case.verdict().wall, None);
    let mut other = case.clone();
    let wall = |id, cost, ns| clock(id).kind(Kind::Wall).cost(cost).quantum(ns).with(|c| c.tick_ns.nominal = Some(ns));
    other.clocks.extend([wall("gettimeofday", 25.0, 1000.0), wall("time", 2.0, 1e9)]);
    check(&other, ["monotonic", "gettimeofday", "tsc"], [&[], &["realtime went back 1 time"], &[]]);
    let caused = |cause| {
        let realtime = |c: Clock| if c.id == "realtime" { c.event(EventKind::Regression, 1e7, 1e9, cause) } else { c };
        case.clone().of(case.clocks.clone().into_iter().map(realtime))
    };
    assert_eq!(caused("unknown").verdict().wall, None);
    let set: &[&str] = &["It was set during the run (CS018)"];
    check(&caused("clock set"), ["monotonic", "realtime", "tsc"], [&[], set, &[]]);
}

#[test]
fn steps_of_a_microsecond_are_no_cheap_stamp() {
    let mut case = Case::healthy();
    for (id, quantum, cheap) in [("boottime", 1000.0, "tsc"), ("uptime", 999.0, "uptime")] {
        case.clocks.push(clock(id).kind(Kind::Boot).cost(3.0).quantum(quantum));
        assert_eq!(case.verdict().cheap.as_deref(), Some(cheap));
    }
}
