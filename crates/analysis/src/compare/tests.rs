//! Made-up runs whose truth is known.

use super::*;
use crate::judge::made_up::{Case, clock, event};
use crate::record::{ClocksourceChange, Compared, Cost, EventKind, Faults, Figure, Outcome, Ratio, Spread, Tick};

const Z95: f64 = 1.959_964;

fn normal(random: &mut fastrand::Rng) -> f64 {
    (-2.0 * libm::log(1.0 - random.f64())).sqrt() * libm::cos(core::f64::consts::TAU * random.f64())
}

/// A run of 20 clocks of 3 to 500 ns: costs and tails as an estimator of a known error tells them, faults by chance. Of the
/// clock `b` each cost is `times` what it was; runs differ by `between`.
fn run(random: &mut fastrand::Rng, times: f64, between: f64) -> Record {
    let mut record = Record::default();
    for i in 0..20 {
        let mut clock = clock(&format!("{}", char::from(b'a' + i)));
        let truth = 3.0 * libm::pow(1.3, f64::from(i)) * if i == 1 { times } else { 1.0 };
        let mut known = |truth: f64, share: f64| {
            let drift = 1.0 + between * normal(random);
            let (value, sd) = (truth * drift * (1.0 + share / Z95 * normal(random)), truth * share / Z95);
            (value, value - Z95 * sd, value + Z95 * sd)
        };
        // ± 0.5 % of the cost, ± 3 % of its tail.
        let ((median, low, high), (p99, p99_low, p99_high)) = (known(truth, 0.005), known(1.5 * truth, 0.03));
        let [p99, p99_low, p99_high] = [p99, p99_low, p99_high].map(Some);
        clock.cost_ns = Some(Cost { median, low, high, p99, p99_low, p99_high, ..Cost::default() });
        clock.reads = 1_000_000;
        let count = if i % 4 == 0 { (0..1000).filter(|_| random.f64() < 0.01).count() as u64 } else { 0 };
        clock.warps = Faults { count, largest_ns: 1e3, over_1ms: 0 };
        record.clocks.push(clock);
    }
    record
}

fn table(before: &[Record], after: &[Record], least: f64) -> Vec<Compared> {
    let groups = [given(before), given(after)];
    let report = compare(Tool::default(), &groups, &Options { least, ..Options::default() });
    report.comparisons.into_iter().next().unwrap().rows
}

fn given(side: &[Record]) -> Vec<Given<'_>> {
    side.iter().map(|record| Given { file: "a", record }).collect()
}

fn changed(rows: &[Compared]) -> Vec<&str> {
    rows.iter().filter(|row| row.result == Outcome::Changed).map(|row| row.clock.as_str()).collect()
}

/// In how many of 1000 pairs anything changed, and in how many the cost of `b` did.
fn told(times: f64, least: f64) -> (usize, usize) {
    let mut random = fastrand::Rng::with_seed(14);
    let (mut any, mut found) = (0, 0);
    for _ in 0..1000 {
        let rows = table(&[run(&mut random, 1.0, 0.0)], &[run(&mut random, times, 0.0)], least);
        any += usize::from(!changed(&rows).is_empty());
        found += usize::from(
            rows.iter().any(|row| row.clock == "b" && row.figure == Figure::Cost && row.worse == Some(true)),
        );
    }
    (any, found)
}

#[test]
fn where_nothing_differs_few_tables_say_so_and_what_does_is_found() {
    // With no least effect all that stands between chance and 'changed' is Holm: 5 % of tables, and 4 standard deviations
    // of such a count above are 78.
    let (any, _) = told(1.0, 0.0);
    println!("no true difference, --least 0: {any} of 1000 tables");
    assert!((10..=60).contains(&any), "{any}");
    let (any, _) = told(1.0, LEAST);
    println!("no true difference, --least 2%: {any} of 1000 tables");
    assert!(any <= 50, "{any}");
    let (_, found) = told(1.05, LEAST);
    println!("cost of one clock up 5 %, --least 2%: found in {found} of 1000");
    assert!(found >= 950, "{found}");
    let (_, found) = told(1.02, LEAST);
    assert!(found <= 50, "2 % is not more than 2 %: {found}");
}

/// Runs that differ by 1 % among themselves, as their own intervals don't tell.
#[test]
fn several_runs_a_side_know_what_runs_differ_by() {
    let mut random = fastrand::Rng::with_seed(3);
    let mut count = |times: f64, runs: usize| {
        let (mut any, mut found) = (0, 0);
        for _ in 0..60 {
            let mut side = |times| (0..runs).map(|_| run(&mut random, times, 0.01)).collect::<Vec<_>>();
            let (before, after) = (side(1.0), side(times));
            let rows = table(&before, &after, LEAST);
            any += usize::from(!changed(&rows).is_empty());
            found += usize::from(changed(&rows).contains(&"b"));
        }
        (any, found)
    };
    let ((any, _), (_, found), (_, few)) = (count(1.0, 8), count(1.1, 8), count(1.1, 3));
    println!("8 runs a side: {any} of 60 without, {found} of 60 with 10 %; 3 runs a side: {few}");
    assert!(any <= 3 && found >= 57 && few == 0, "{any} {found} {few}");
}

fn only(before: &Record, after: &Record) -> Comparison {
    let groups = [vec![Given { file: "a", record: before }], vec![Given { file: "b", record: after }]];
    compare(Tool::default(), &groups, &Options::default()).comparisons.remove(0)
}

fn one(of: crate::record::Clock) -> Record {
    Record { clocks: vec![of], ..Record::default() }
}

fn row(comparison: &Comparison, figure: Figure) -> &Compared {
    comparison.rows.iter().find(|row| row.figure == figure).unwrap()
}

#[test]
fn the_same_record_twice_is_the_same() {
    let mut random = fastrand::Rng::with_seed(1);
    let record = run(&mut random, 1.0, 0.0);
    let comparison = only(&record, &record);
    let costs = comparison.rows.iter().filter(|row| row.figure == Figure::Cost);
    assert!(costs.clone().count() == 20 && costs.clone().all(|row| row.result == Outcome::Same));
    assert!(changed(&comparison.rows).is_empty() && comparison.machine.is_empty());
    assert!(comparison.came.is_empty() && comparison.went.is_empty() && !comparison.different_machines);
    assert_eq!(comparison.faultless.len(), 15);
}

#[test]
fn faults_that_came_are_worse_and_those_that_went_are_not() {
    let with = |warps| {
        let mut clock = clock("a").faults(0, warps, 0);
        clock.reads = 1_000_000;
        one(clock)
    };
    let worse = |before, after| row(&only(&with(before), &with(after)), Figure::Jumps).worse;
    assert_eq!((worse(0, 40), worse(40, 0), worse(1, 2)), (Some(true), Some(false), None));
    let row = row(&only(&with(0), &with(40)), Figure::Jumps).clone();
    assert!(matches!(row.ratio, Some(Ratio { value: None, high: None, low }) if low > 1.0), "{row:?}");
}

fn several(before: &[Record], after: &[Record]) -> Comparison {
    compare(Tool::default(), &[given(before), given(after)], &Options::default()).comparisons.remove(0)
}

#[test]
fn faults_that_came_are_worse_with_several_runs_a_side_too() {
    let side = |warps: u64| {
        let of = |i| {
            one(clock("a").faults(0, if warps > 0 { warps + i } else { 0 }, 0).with(|clock| clock.reads = 1_000_000))
        };
        (0..8).map(of).collect::<Vec<_>>()
    };
    let of = |before, after| row(&several(&side(before), &side(after)), Figure::Jumps).clone();
    assert_eq!((of(0, 10).result, of(0, 10).worse), (Outcome::Changed, Some(true)));
    assert_eq!((of(10, 0).result, of(10, 0).worse), (Outcome::Changed, Some(false)));
}

#[test]
fn a_run_counts_once_however_many_files_tell_of_it() {
    let of = |id: &str, cost: f64| {
        let mut record = one(clock("a").cost(cost));
        record.run.id = Some(id.into());
        record
    };
    let side = |from: f64| -> Vec<Record> {
        (0..4)
            .flat_map(|i| [of(&format!("{from}{i}"), from + f64::from(i) / 10.0), of(&format!("{from}{i}"), from)])
            .collect()
    };
    let found = several(&side(10.0), &side(20.0));
    assert_eq!((found.before.files.len(), row(&found, Figure::Cost).before.runs), (4, 4));
    assert_eq!(found.notes.iter().filter(|note| note.contains("is the same run as a, which counts once")).count(), 8);
    let twice = several(&[of("x", 10.0), of("x", 10.0)], &[of("x", 10.0)]);
    assert_eq!(twice.by, ComparedBy::OwnIntervals);
    assert!(twice.notes.iter().any(|note| note.contains("the same run is on both sides")), "{:?}", twice.notes);
}

#[test]
fn only_reads_that_could_be_judged_are_held_against_the_faults() {
    let with = |warps, undecided| {
        let mut clock = clock("a").faults(0, warps, 0).with(|clock| clock.reads = 1_000_000);
        clock.undecided = undecided;
        one(clock)
    };
    let found = only(&with(500, 0), &with(250, 500_000));
    assert_eq!(row(&found, Figure::Jumps).result, Outcome::Undecided);
    assert_eq!(row(&only(&with(500, 0), &with(250, 0)), Figure::Jumps).worse, Some(false));
}

#[test]
fn faults_while_the_kernel_changed_its_clocksource_are_not_the_clocks() {
    let mut changed = Case::healthy();
    changed.run.clocksource_changes =
        vec![ClocksourceChange { at_ns: 1.5e9, since_ns: 1.4e9, ..ClocksourceChange::default() }];
    let monotonic = changed.clock("monotonic");
    monotonic.warps = Faults { count: 1, largest_ns: 1e6, over_1ms: 1 };
    monotonic.events = vec![event(EventKind::Warp, 1e6, 1.45e9, "unknown")];
    let of = |case: Case| Record { run: case.run, clocks: case.clocks, ..Record::default() };
    let found = only(&of(Case::healthy()), &of(changed));
    assert!(found.rows.iter().all(|row| row.figure != Figure::Jumps), "{:#?}", found.rows);
}

#[test]
fn a_limit_among_several_runs_and_a_record_of_runs_decide_nothing() {
    let resolves = |quantum: Option<f64>| {
        let mut clock = clock("a");
        let (low, high) = (quantum.map(|q| q - 0.1), Some(quantum.map_or(4.5, |q| q + 0.1)));
        clock.tick_ns = Tick { quantum, quantum_low: low, quantum_high: high, ..Tick::default() };
        one(clock)
    };
    let (before, mut after) = (vec![resolves(Some(10.0)); 8], vec![resolves(Some(10.0)); 4]);
    after.extend(vec![resolves(None); 4]);
    let found = several(&before, &after);
    let found = row(&found, Figure::Quantum);
    assert_eq!(found.result, Outcome::Undecided);
    assert_eq!(found.missing.as_deref(), Some("only a limit is known in 4 of 16 runs"));
    let with = |runs: u64, warps| {
        let mut clock = clock("a").cost(10.0).faults(0, warps, 0).with(|clock| clock.reads = 1_000_000);
        let spread = Spread { runs, low: 9.0, high: 11.0 };
        clock.cost_ns = clock.cost_ns.map(|cost| Cost { runs: Some(spread), ..cost });
        one(clock)
    };
    let found = only(&with(1, 30), &with(10, 90));
    assert!(row(&found, Figure::Jumps).missing.as_ref().is_some_and(|why| why.contains("--runs")));
    assert_eq!(row(&only(&with(1, 30), &with(1, 90)), Figure::Jumps).worse, Some(true));
}

#[test]
fn exact_figures_limits_and_absent_ones_say_that_they_are() {
    let with = |quantum: Option<f64>, high: f64| {
        let mut clock = clock("a");
        clock.tick_ns = crate::record::Tick {
            quantum,
            quantum_low: quantum,
            quantum_high: Some(high),
            ..crate::record::Tick::default()
        };
        one(clock)
    };
    let said = |before: Record, after: Record| {
        let comparison = only(&before, &after);
        let row = row(&comparison, Figure::Quantum).clone();
        (row.result, row.p, row.missing.unwrap_or_default())
    };
    let exact = "exact on both sides".to_owned();
    let ten = || with(Some(10.0), 10.0);
    assert_eq!(said(ten(), ten()), (Outcome::Same, None, exact.clone()));
    assert_eq!(said(ten(), with(Some(1.0), 1.0)), (Outcome::Changed, None, exact));
    let limit = "a side is an upper limit".to_owned();
    assert_eq!(said(ten(), with(None, 4.5)), (Outcome::Changed, None, limit.clone()));
    assert_eq!(said(ten(), with(None, 17.0)), (Outcome::Undecided, None, limit.clone()));
    assert_eq!(said(with(None, 17.0), with(None, 17.0)).0, Outcome::Undecided);
    let mut none = clock("a");
    none.tick_ns = crate::record::Tick::default();
    none.missing.insert("tick_ns.quantum".into(), "it did not move".into());
    assert_eq!(said(ten(), one(none)).2, "none after: it did not move");
}

#[test]
fn of_different_machines_nothing_is_worse() {
    let with = |model: &str, cost: f64| {
        let mut record = one(clock("a").cost(cost));
        record.machine.cpu.model = Some(model.into());
        record
    };
    let other = only(&with("x", 10.0), &with("y", 20.0));
    assert!(other.different_machines && other.machine[0].what == "CPU model");
    assert_eq!((row(&other, Figure::Cost).result, row(&other, Figure::Cost).worse), (Outcome::Changed, None));
    assert_eq!(row(&only(&with("x", 10.0), &with("x", 20.0)), Figure::Cost).worse, Some(true));
}

#[test]
fn figures_that_nobody_should_write_do_no_harm() {
    let values = [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e-320, f64::MAX];
    for before in values {
        for after in values {
            let with = |value: f64| {
                let mut clock = clock("a");
                clock.cost_ns = Some(Cost { median: value, low: -value, high: value, ..Cost::default() });
                (clock.warps.count, clock.reads) = (u64::MAX, if value > 0.0 { u64::MAX } else { 0 });
                one(clock)
            };
            let report = only(&with(before), &with(after));
            let text = serde_json::to_string(&report).unwrap();
            // What JSON has no number for would be a null that can't be read.
            assert!(serde_json::from_str::<Comparison>(&text).is_ok(), "{before} {after}: {text}");
        }
    }
    assert!(compare(Tool::default(), &[], &Options::default()).comparisons.is_empty());
}

#[test]
fn very_many_clocks_take_no_long_time() {
    let clocks = (0..100_000).map(|i| clock(&format!("c{i}")).cost(10.0).faults(0, 3, 0)).collect();
    let record = Record { clocks, ..Record::default() };
    assert!(only(&record, &record).rows.len() >= 200_000);
}
