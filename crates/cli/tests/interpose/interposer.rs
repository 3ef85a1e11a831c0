//! The interposer and the filter themselves: what they claim to do, a small reader must see.

use std::process::{Command, Output};

use crate::build::{HELPERS, alone};
use crate::log::{Fault, Injection, Kind, Plan, count};

/// What the reader saw: kind, read, bounds of the size.
#[derive(Debug)]
struct Seen {
    kind: String,
    index: u64,
    low: i64,
    high: i64,
}

fn seen(output: &Output) -> Vec<Seen> {
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.pop(), Some("reads 40000"), "the reader ended early: {output:?}");
    lines
        .iter()
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            Seen {
                kind: words[0].to_owned(),
                index: words[1].parse().expect("an index"),
                low: words[2].parse().expect("a size"),
                high: words[3].parse().expect("a size"),
            }
        })
        .collect()
}

fn run_reader(injection: &Injection) -> Output {
    Command::new(&HELPERS.reader)
        .args(["1", "40000"])
        .envs(injection.variables())
        .output()
        .expect("the reader runs")
}

fn agrees(fault: Fault, seen: &Seen) -> bool {
    let kind = match fault.kind {
        Kind::Regression => "regression",
        Kind::Warp => "warp",
        Kind::Stall => "stall",
    };
    // An interruption within the reader's bracket can hide a step until the next narrow one.
    let late = if fault.kind == Kind::Warp { 4 } else { 0 };
    let size = i64::try_from(fault.size).expect("a size below 2^63");
    seen.kind == kind
        && (fault.index..=fault.index + late).contains(&seen.index)
        && (seen.low..=seen.high).contains(&size)
}

#[test]
fn a_reader_sees_exactly_what_the_log_says() {
    let _alone = alone();
    for seed in 1..=5 {
        let plan = Plan { seed, regressions: 15, warps: 15, stalls: 15, first: 2000, spacing: 500 };
        let injection = Injection::faults(plan);
        let seen = seen(&run_reader(&injection));
        let (faults, reads) = injection.log();
        assert_eq!(reads, 40_000);
        assert_eq!(count(&faults, Kind::Regression), 15, "seed {seed}");
        assert_eq!(count(&faults, Kind::Warp), 15, "seed {seed}");
        assert_eq!(count(&faults, Kind::Stall), 15, "seed {seed}");
        assert!(faults.windows(2).all(|pair| pair[1].index - pair[0].index >= 64), "too close: {faults:?}");
        assert_eq!(faults.len(), seen.len(), "seed {seed}: injected {faults:#?}, seen {seen:#?}");
        for (fault, seen) in faults.iter().zip(&seen) {
            assert!(agrees(*fault, seen), "seed {seed}: injected {fault:?}, seen {seen:?}");
        }
    }
}

#[test]
fn nothing_is_seen_when_nothing_is_injected() {
    let _alone = alone();
    let injection = Injection::faults(Plan { spacing: 500, ..Plan::default() });
    assert!(seen(&run_reader(&injection)).is_empty());
    assert_eq!(injection.log(), (Vec::new(), 40_000));
}

#[test]
fn equal_seeds_inject_equal_faults() {
    let plan = Plan { seed: 9, regressions: 5, warps: 5, stalls: 5, first: 100, spacing: 200 };
    let logs = [(); 2].map(|()| {
        let injection = Injection::faults(plan);
        run_reader(&injection);
        injection.log()
    });
    assert_eq!(logs[0], logs[1]);
    assert_eq!(logs[0].0.len(), 15);
}

#[test]
fn the_modes_do_as_they_say() {
    let first_line = |mode: &str, reads: &str| {
        let injection = Injection::mode(mode);
        let output = Command::new(&HELPERS.reader)
            .args(["1", reads])
            .envs(injection.variables())
            .output()
            .expect("the reader runs");
        String::from_utf8_lossy(&output.stdout).lines().next().map(str::to_owned)
    };
    assert_eq!(first_line("eperm", "10").as_deref(), Some("error 1 0"));
    assert_eq!(first_line("eperm-after", "2000").as_deref(), Some("error 1 1000"));
    assert_eq!(first_line("frozen", "2000").as_deref(), Some("stall 0 2000 2000"));
    assert!(first_line("backwards", "10").is_some_and(|line| line.starts_with("regression 1 ")));
    assert!(first_line("garbage", "200").is_some_and(|line| !line.starts_with("reads")));
    let started = std::time::Instant::now();
    first_line("slow", "20");
    assert!(started.elapsed() >= std::time::Duration::from_millis(100), "20 reads of 5 ms each");
}

#[test]
fn the_filter_denies_the_clocks_named_and_no_others() {
    let read = |error: &str, denied: &str, clock: &str| {
        let output = Command::new(&HELPERS.deny)
            .args([error, denied])
            .arg(&HELPERS.reader)
            .args([clock, "10"])
            .output()
            .expect("the filter runs");
        (output.status.code() != Some(125))
            .then(|| String::from_utf8_lossy(&output.stdout).lines().last().unwrap_or_default().to_owned())
    };
    // Thread CPU time is a system call everywhere; where no filter can be installed there is nothing to test.
    let Some(denied) = read("EPERM", "2,3", "3") else { return };
    assert_eq!(denied, "error 1 0");
    assert_eq!(read("ENOSYS", "all", "3").as_deref(), Some("error 38 0"));
    assert_eq!(read("EPERM", "2", "3").as_deref(), Some("reads 10"));
}
