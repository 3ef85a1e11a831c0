//! Limits of clocks, and from CPU to CPU.

use super::*;
use crate::judge::made_up::{clock, skew};
use crate::record::{Clock, Cost, Interval, Path, Rate, Shortest, Tick, Unavailable};
use Decision::{Met, Undecided, Violated};

/// What is asked of the clock `monotonic`, which is as `change` makes it.
#[track_caller]
fn of(asks: &str, change: impl FnOnce(Clock) -> Clock, outcome: Decision, words: &[&str]) {
    let case = Case::healthy().of([change(clock("monotonic"))]);
    comes(&format!("[clocks.monotonic]\n{asks}"), case, outcome, words);
}

/// A cost whose interval is 90 to 110 ns, a 99th percentile between 200 and 300 ns.
fn cost(clock: Clock) -> Clock {
    let (p99, p99_low, p99_high) = (Some(250.0), Some(200.0), Some(300.0));
    clock.with(|clock| {
        clock.cost_ns =
            Some(Cost { median: 100.0, low: 90.0, high: 110.0, min: 85.0, p99, p99_low, p99_high, ..Cost::default() });
    })
}

#[test]
fn an_interval_within_the_limit_meets_beyond_it_violates_and_on_it_is_undecided() {
    for (limit, outcome) in [(110.0, Met), (109.9, Undecided), (100.0, Undecided), (90.0, Undecided), (89.9, Violated)]
    {
        let words = if outcome == Undecided { &["straddles", "100 ns (90 ns to 110 ns)"][..] } else { &["100 ns"] };
        of(&format!("cost_ns = {limit}"), cost, outcome, words);
        of(&format!("cost_ns = {{ at_most = {limit} }}"), cost, outcome, words);
    }
    for (limit, outcome) in [(300, Met), (250, Undecided), (200, Undecided), (199, Violated)] {
        of(&format!("p99_ns = {limit}"), cost, outcome, &["250 ns"]);
    }
    let unbounded = |clock| cost(clock).with(|clock| clock.cost_ns.as_mut().expect("a cost").p99_high = None);
    of("p99_ns = 1e9", unbounded, Undecided, &["nothing bounds it above"]);
    of("p99_ns = 100", unbounded, Violated, &[]);
    let none = |clock: Clock| clock.with(|clock| drop(clock.missing.insert("cost_ns".into(), "no batch".into())));
    of("cost_ns = 100", none, Undecided, &["no batch"]);
    of("p99_ns = 100", none, Undecided, &["no batch"]);
}

#[test]
fn what_a_clock_resolves_is_held_against_its_limit_by_the_same_word_as_in_the_table() {
    let tick = |quantum: Option<f64>, high: Option<f64>, nominal: Option<f64>| {
        move |clock: Clock| {
            let quantum_low = quantum.map(|quantum| quantum - 1.0);
            clock.with(|clock| {
                clock.tick_ns = Tick { nominal, quantum, quantum_low, quantum_high: high, ..Tick::default() }
            })
        }
    };
    for name in ["resolution_ns", "quantum_ns"] {
        for (limit, outcome) in [(11, Met), (10, Undecided), (9, Undecided), (8, Violated)] {
            of(
                &format!("{name} = {limit}"),
                tick(Some(10.0), Some(11.0), None),
                outcome,
                &["clocks.monotonic.resolution_ns"],
            );
        }
    }
    of("resolution_ns = 40", tick(None, Some(40.0), None), Met, &["at most 40 ns"]);
    of("resolution_ns = 39", tick(None, Some(40.0), None), Undecided, &[]);
    of("resolution_ns = 1000", tick(None, Some(1100.0), Some(1000.0)), Met, &["1 µs"]);
    of("resolution_ns = 999", tick(None, Some(1100.0), Some(1000.0)), Violated, &[]);
    of("resolution_ns = 1", |clock| clock, Undecided, &["does not say"]);
}

#[test]
fn faults_are_held_against_the_reads_that_could_be_judged() {
    let reads = |reads, undecided| {
        move |clock: Clock| clock.faults(1, 1, 0).with(|clock| (clock.reads, clock.undecided) = (reads, undecided))
    };
    of("faults = { at_most = 2, reads_at_least = 900 }", reads(1000, 100), Met, &["2 in 900 reads"]);
    of("faults = { at_most = 2, reads_at_least = 901 }", reads(1000, 100), Undecided, &["too few reads"]);
    of("faults = { at_most = 1, reads_at_least = 901 }", reads(1000, 100), Violated, &["more than allowed"]);
    of("faults = 2", reads(1000, 0), Met, &[]);
    of("faults = 2", reads(999, 0), Undecided, &[]);
    of("faults = 0", |clock| clock.with(|clock| clock.reads = 0), Undecided, &["0 in 0 reads"]);
    of("faults = 0", |clock| clock.with(|clock| clock.failed_reads = 1), Violated, &[]);
}

#[test]
fn a_rate_may_differ_either_way() {
    let rate = |low, high| {
        move |clock: Clock| {
            let rate = Rate { ppm: f64::midpoint(low, high), low_ppm: low, high_ppm: high, against: "tsc".into() };
            clock.with(|clock| clock.rate = Some(rate))
        }
    };
    for (low, high, outcome) in [
        (10.0, 20.0, Met),
        (-20.0, -10.0, Met),
        (-20.0, 20.0, Met),
        (-21.0, 19.0, Undecided),
        (19.0, 21.0, Undecided),
        (-30.0, -20.5, Violated),
        (20.5, 30.0, Violated),
    ] {
        of("rate_ppm = 20", rate(low, high), outcome, &["ppm"]);
    }
    of("rate_ppm = 20", rate(f64::NAN, 20.0), Undecided, &["no number"]);
    let reason =
        |clock: Clock| clock.with(|clock| drop(clock.missing.insert("rate".into(), "it is the reference".into())));
    of("rate_ppm = 20", reason, Undecided, &["it is the reference"]);
}

#[test]
fn the_shortest_spans_have_limits() {
    let (value, low, high) = (100.0, 95.0, 105.0);
    let span = |clock: Clock| {
        clock.with(|clock| {
            clock.span_ns =
                Some(Shortest { within_1_percent: Some(Interval { value, low, high }), ..Shortest::default() });
        })
    };
    for (limit, outcome) in [(105, Met), (100, Undecided), (94, Violated)] {
        of(&format!("span_ns = {{ within_1_percent = {limit} }}"), span, outcome, &["span_ns.within_1_percent"]);
    }
    of("span_ns.within_10_percent = 10", span, Undecided, &["grows with the length"]);
    of("span_ns.within_0_1_percent = 10", |clock| clock, Undecided, &["does not say"]);
}

#[test]
fn a_path_is_one_of_those_asked_for() {
    of("path = 'vdso'", |clock| clock, Met, &[]);
    of("path = ['vdso', 'instruction']", |clock| clock.path(Path::Instruction), Met, &[]);
    of(
        "path = ['vdso', 'instruction']",
        |clock| clock.path(Path::Syscall),
        Violated,
        &["syscall", "one of vdso and instruction"],
    );
}

#[test]
fn of_a_clock_that_is_not_there_nothing_is_shown_and_the_name_that_was_meant_is_told() {
    let all = "path = 'vdso'\ncost_ns = 1\np99_ns = 1\nresolution_ns = 1\nfaults = 0\nrate_ppm = 1\nspan_ns.within_1_percent = 1";
    let rows = checked(&format!("[clocks.monotonc]\nreadable = true\n{all}"), Case::healthy()).requirements;
    assert_eq!(rows.len(), 8);
    for row in &rows {
        assert_eq!((row.outcome, row.fails), (Undecided, true), "{row:#?}");
        assert!(row.why.contains("no clock 'monotonc'; did you mean monotonic?"), "{row:#?}");
    }
    let mut record = record(Case::healthy());
    record.unavailable.push(Unavailable { id: "hpet".into(), reason: "no such device".into() });
    let policy = policy(&format!("[clocks.hpet]\nreadable = true\n{all}"));
    let rows = check(&policy, "", &record, on("2026-06-15")).requirements;
    assert_eq!(rows.iter().filter(|row| row.outcome == Violated).count(), 1);
    assert_eq!((rows[0].requirement.as_str(), rows[0].outcome), ("clocks.hpet.readable", Violated));
    assert!(rows.iter().all(|row| row.why.contains("no such device")), "{rows:#?}");
    comes("[clocks.tsc]\nreadable = true", Case::healthy(), Met, &["yes"]);
    comes("[clocks.tsc]\nreadable = false", Case::healthy(), Violated, &["yes"]);
}

#[test]
fn undecided_fails_unless_the_policy_or_the_requirement_says_otherwise() {
    let straddling = || Case::healthy().of([cost(clock("monotonic"))]);
    for (all, own, fails) in [
        ("", "", true),
        ("undecided = 'fail'", "", true),
        ("undecided = 'pass'", "", false),
        ("", ", undecided = 'pass'", false),
        ("undecided = 'pass'", ", undecided = 'fail'", true),
    ] {
        let asks = |limit: u32| format!("{all}\n[clocks.monotonic]\ncost_ns = {{ at_most = {limit}{own} }}");
        let row = row(&asks(100), straddling());
        assert_eq!((row.outcome, row.fails), (Undecided, fails), "{all} {own}");
        assert_eq!(checked(&asks(100), straddling()).passed, !fails);
        assert!(checked(&asks(50), straddling()).requirements[0].fails, "a violation fails in any case");
        assert!(checked(&asks(200), straddling()).passed);
    }
    for own in [
        "machine.governor = { is = 'performance', undecided = 'pass' }",
        "machine.tsc_watchdog = { is = true, undecided = 'pass' }",
        "machine.cpus = { at_least = 2, undecided = 'pass' }",
        "machine.kernel = { at_least = '6.1', undecided = 'pass' }",
        "clocks.x.faults = { at_most = 0, reads_at_least = 10, undecided = 'pass' }",
    ] {
        let nothing = Case::healthy().but(|case| case.machine = crate::record::Machine::default());
        let row = row(own, nothing);
        assert_eq!((row.outcome, row.fails), (Undecided, false), "{own}");
    }
}

#[test]
fn cpus_agree_or_not_and_one_cpu_does() {
    let apart =
        |low, high, backward| Case::healthy().but(|case| case.skew = vec![skew("tsc-fenced", low, high, backward)]);
    let asks = |what: &str| format!("[skew.tsc]\n{what}");
    comes(&asks("agree = true"), apart(-50.0, 60.0, 0), Met, &["skew.tsc.agree"]);
    comes(&asks("agree = true"), apart(20.0, 60.0, 0), Violated, &[]);
    for (limit, outcome) in [(60, Met), (59, Undecided), (20, Undecided), (19, Violated)] {
        comes(&asks(&format!("offset_ns = {limit}")), apart(20.0, 60.0, 0), outcome, &[]);
        comes(&asks(&format!("offset_ns = {limit}")), apart(-60.0, -20.0, 0), outcome, &[]);
    }
    comes(&asks("offset_ns = 0"), apart(-20.0, 60.0, 0), Undecided, &["at most 60 ns"]);
    comes(&asks("steps_back = { at_most = 0, reads_at_least = 400 }"), apart(-50.0, 60.0, 0), Met, &["0 in 400 reads"]);
    comes(&asks("steps_back = 0"), apart(-50.0, 60.0, 0), Undecided, &["too few reads"]);
    comes(&asks("steps_back = 0"), apart(-50.0, 60.0, 1), Violated, &[]);
    let lost = apart(-50.0, 60.0, 0).but(|case| {
        let mut silent = case.skew[0].pairs[0].clone();
        (silent.low_ns, silent.high_ns) = (None, None);
        case.skew[0].pairs.push(silent);
    });
    comes(&asks("offset_ns = 100"), lost, Undecided, &["nothing bounds it above"]);
    for what in ["agree = true", "offset_ns = 100"] {
        let alone = Case::healthy().but(|case| case.machine.cpus.online = Some(1));
        comes(&asks(what), alone, Met, &[]);
        let untold = Case::healthy().but(|case| case.run.notes = vec!["Only CPU 3 may be used.".into()]);
        comes(&asks(what), untold, Undecided, &["Only CPU 3"]);
        comes(&format!("[skew.tscc]\n{what}"), Case::healthy(), Undecided, &["did you mean tsc"]);
    }
}
