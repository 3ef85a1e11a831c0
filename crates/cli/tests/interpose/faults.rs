//! Injected faults are found, all of them and no others, with their sizes.

use std::time::Duration;

use assert_cmd::Command;
use clockscope_engine::record::{Clock, EventKind, Record};

use crate::build::{CLOCKSCOPE, alone};
use crate::log::{Fault, Injection, Kind, Plan, count};

fn survey(injection: Option<&Injection>) -> Clock {
    let mut command = Command::new(CLOCKSCOPE);
    command.args(["--clock", "monotonic", "--format", "json", "--no-progress"]);
    command.timeout(Duration::from_secs(60));
    if let Some(injection) = injection {
        command.envs(injection.variables());
    }
    let output = command.output().expect("clockscope runs");
    assert!(output.status.success(), "{output:?}");
    let record: Record = serde_json::from_slice(&output.stdout).expect("a record");
    record.clocks.into_iter().find(|clock| clock.id == "monotonic").expect("the clock that was asked for")
}

/// Whether the clock can return the same value twice in a row although nothing is wrong with it.
fn stalls_naturally(clock: &Clock) -> bool {
    let cost = clock.cost_ns.expect("a cost").median;
    clock.tick_ns.quantum_high.expect("at least a limit of the quantum") >= cost
}

fn stalls(clock: &Clock) -> u64 {
    if stalls_naturally(clock) { clock.stalls.unexplained } else { clock.stalls.count }
}

/// Each listed regression and warp is the next injected one of its kind and size. Events may be left out only
/// where the record says so.
fn compare_sizes(seed: u64, clock: &Clock, injected: &[Fault]) {
    let mut rest = injected.iter().filter(|fault| fault.kind != Kind::Stall);
    let mut listed = 0;
    for event in &clock.events {
        let kind = match event.kind {
            EventKind::Regression => Kind::Regression,
            EventKind::Warp => Kind::Warp,
            EventKind::Stall | EventKind::Interruption => continue,
        };
        listed += 1;
        let tolerance = event.size_uncertainty_ns.unwrap_or(0.0) + 100.0;
        let close =
            |fault: &Fault| fault.kind == kind && (fault.size as f64 - event.size_ns).abs() <= tolerance;
        let found = if clock.events_omitted == 0 { rest.next().is_some_and(close) } else { rest.any(close) };
        assert!(found, "seed {seed}: {event:?} is not the fault injected there; injected: {injected:#?}");
    }
    assert!(listed > 0, "seed {seed}: not one regression or warp is listed");
    assert!(
        clock.events_omitted > 0 || rest.next().is_none(),
        "seed {seed}: {listed} events of {}",
        injected.len()
    );
}

#[test]
fn injected_faults_are_counted_exactly() {
    let _alone = alone();
    for seed in 1..=5_usize {
        let plan = Plan {
            seed: seed as u64,
            regressions: 6 + seed,
            warps: 12 - seed,
            stalls: 5 + 2 * seed,
            first: 20_000,
            spacing: 500,
        };
        let injection = Injection::faults(plan);
        let clock = survey(Some(&injection));
        let (injected, reads) = injection.log();
        assert_eq!(
            (count(&injected, Kind::Regression), count(&injected, Kind::Warp), count(&injected, Kind::Stall)),
            (plan.regressions, plan.warps, plan.stalls),
            "seed {seed}: the survey made only {reads} reads"
        );
        let found = (clock.regressions.count, clock.warps.count, stalls(&clock));
        let expected = (plan.regressions as u64, plan.warps as u64, plan.stalls as u64);
        assert_eq!(
            found, expected,
            "seed {seed}: regressions, warps, stalls; {injected:#?} {:#?}",
            clock.events
        );
        if !stalls_naturally(&clock) {
            let longest =
                injected.iter().filter(|fault| fault.kind == Kind::Stall).map(|fault| fault.size).max();
            assert_eq!(Some(clock.stalls.longest_reads), longest, "seed {seed}: reads in the longest stall");
        }
        compare_sizes(seed as u64, &clock, &injected);
    }
}

#[test]
fn a_sound_clock_has_no_faults() {
    let _alone = alone();
    let idle = Injection::faults(Plan { spacing: 500, ..Plan::default() });
    for injection in [None, Some(&idle)] {
        let clock = survey(injection);
        let found = (clock.regressions.count, clock.warps.count, stalls(&clock));
        assert_eq!(found, (0, 0, 0), "regressions, warps, stalls: {:#?}", clock.events);
    }
}

#[test]
fn an_interposed_clock_is_called_so() {
    let _alone = alone();
    let idle = Injection::faults(Plan { spacing: 500, ..Plan::default() });
    let by = survey(Some(&idle)).interposed_by;
    assert!(by.as_deref().is_some_and(|by| by.contains("interpose")), "interposed_by: {by:?}");
    assert_eq!(survey(None).interposed_by, None);
}
