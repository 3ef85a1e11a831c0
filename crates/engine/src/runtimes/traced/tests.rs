use super::*;

use crate::catalog::{Clock, kernel_clock};

const LONG: Duration = Duration::from_secs(60);

/// What the shell wrote and was told; nothing where ptrace is not to be had.
fn shell(script: &str, limit: Duration) -> Option<Traced> {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    of(command, limit)
}

fn of(command: Command, limit: Duration) -> Option<Traced> {
    match traced(command, limit, &|| false) {
        Ok(traced) => Some(traced),
        Err(why) => {
            assert!(why.contains("ptrace") || why.contains("pidfd"), "{why}");
            eprintln!("skipped: {why}");
            None
        }
    }
}

fn told<'a>(traced: &'a Traced, call: &str) -> Option<&'a Told> {
    traced.told.iter().find(|told| told.call == call)
}

fn now(clock: libc::clockid_t) -> i64 {
    kernel_clock(clock).unwrap().read().unwrap() as i64
}

#[test]
fn what_date_prints_is_what_the_kernel_told_it() {
    let before = now(libc::CLOCK_REALTIME);
    let mut command = Command::new("date");
    command.arg("+%s%N");
    let Some(traced) = of(command, LONG) else { return };
    let after = now(libc::CLOCK_REALTIME);
    assert_eq!((&traced.ended, traced.left_out), (&Ok(()), 0));
    let printed: i64 = String::from_utf8(traced.stdout.clone()).unwrap().trim().parse().unwrap();
    let told = told(&traced, "clock_gettime(CLOCK_REALTIME)").unwrap();
    assert_eq!(told.clock, "realtime");
    assert!(told.ns.contains(&printed), "{printed} {told:?}");
    assert!(told.ns.iter().all(|ns| (before..=after).contains(ns)), "{before} {told:?} {after}");
}

#[test]
fn what_a_shell_starts_is_followed_and_its_vdso_is_hidden_as_well() {
    let traced = shell("for i in 1 2 3 4 5; do date +%s%N & wait; done; exit 3", LONG);
    let Some(traced) = traced else { return };
    assert_eq!(traced.ended, Err("it ended with exit status: 3".into()));
    let printed = String::from_utf8(traced.stdout.clone()).unwrap();
    let told = told(&traced, "clock_gettime(CLOCK_REALTIME)").unwrap();
    assert_eq!(printed.lines().count(), 5);
    assert!(printed.lines().all(|line| told.ns.contains(&line.parse().unwrap())), "{printed} {told:?}");
}

#[test]
fn each_of_pythons_clocks_is_the_call_that_it_claims_to_be() {
    let script = "import time, threading, resource, os\n\
        f = lambda: [print(time.perf_counter_ns(), time.time_ns(), time.process_time_ns(), time.thread_time_ns())]\n\
        t = threading.Thread(target=f); t.start(); t.join()\n\
        u = resource.getrusage(resource.RUSAGE_SELF); print(round(u.ru_utime * 1e6), os.times().elapsed)";
    let mut command = Command::new("python3");
    command.args(["-c", script]);
    let traced = match traced(command, LONG, &|| false) {
        Ok(traced) if traced.ended.is_ok() => traced,
        other => return eprintln!("skipped: {other:?}"),
    };
    let printed = String::from_utf8(traced.stdout.clone()).unwrap();
    let mut values = printed.split_whitespace();
    let clocks = ["CLOCK_MONOTONIC", "CLOCK_REALTIME", "CLOCK_PROCESS_CPUTIME_ID", "CLOCK_THREAD_CPUTIME_ID"];
    for clock in clocks {
        let told = told(&traced, &format!("clock_gettime({clock})")).unwrap();
        assert!(told.ns.contains(&values.next().unwrap().parse().unwrap()), "{clock} {printed} {told:?}");
    }
    let user = told(&traced, "getrusage(RUSAGE_SELF): ru_utime").unwrap();
    assert_eq!(user.clock, "getrusage");
    assert!(user.ns.contains(&(values.next().unwrap().parse::<i64>().unwrap() * 1000)), "{printed} {user:?}");
    let times = told(&traced, "times()").unwrap();
    let elapsed_s: f64 = values.next().unwrap().parse().unwrap();
    assert!(times.ns.iter().any(|ns| (*ns as f64 / 1e9 - elapsed_s).abs() < 1e-6), "{printed} {times:?}");
}

#[test]
fn what_hangs_is_killed_with_what_it_started() {
    let limit = Duration::from_millis(300);
    let before = now(libc::CLOCK_MONOTONIC);
    // The one that is left behind has the pipe open.
    let Some(traced) = shell("sleep 1000 & echo $!; exec 3>&1; sleep 1000", limit) else { return };
    assert_eq!(traced.ended, Err("it did not end within 300ms and was killed".into()));
    assert!(now(libc::CLOCK_MONOTONIC) - before < 30_000_000_000);
    let left: i32 = String::from_utf8(traced.stdout).unwrap().trim().parse().unwrap();
    let is_gone = || {
        let state = std::fs::read_to_string(format!("/proc/{left}/stat")).unwrap_or_default();
        state.is_empty() || state.contains(") Z ")
    };
    for _ in 0..1000 {
        if is_gone() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("{left} lives on");
}

#[test]
fn one_that_stops_itself_or_is_killed_or_writes_without_end() {
    // What would stop a process for good does not stop one that is followed.
    let Some(stopped) = shell("kill -STOP $$; echo on; kill -USR1 $$; echo never", LONG) else { return };
    assert_eq!((&stopped.stdout[..], stopped.ended.unwrap_err().contains("signal: 10")), (&b"on\n"[..], true));
    let Some(endless) = shell("head -c 9000000 /dev/zero; sleep 1000", LONG) else { return };
    assert_eq!(endless.ended, Err("it wrote more than 8 MiB and was killed".into()));
    assert!(endless.stdout.len() <= MOST_OUTPUT);
}

#[test]
fn several_at_once_do_not_take_each_others_ends() {
    let run = |at: i32| shell(&format!("date >/dev/null; exit {at}"), LONG).map(|traced| traced.ended);
    let other = Command::new("sh").args(["-c", "sleep 0.1; exit 77"]).spawn();
    std::thread::scope(|scope| {
        let runs: Vec<_> = (1..5).map(|at| (at, scope.spawn(move || run(at)))).collect();
        for (at, ended) in runs {
            let ended = ended.join().unwrap();
            assert!(ended.is_none_or(|ended| ended == Err(format!("it ended with exit status: {at}"))));
        }
    });
    assert_eq!(other.unwrap().wait().unwrap().code(), Some(77));
}

#[test]
fn one_that_is_not_there_and_one_that_nobody_waits_for() {
    let missing = traced(Command::new("/nowhere/at all"), LONG, &|| false).unwrap_err();
    assert!(missing.contains("No such file") || missing.contains("ptrace"), "{missing}");
    let mut command = Command::new("sleep");
    command.arg("1000");
    if let Ok(stopped) = traced(command, LONG, &|| true) {
        assert_eq!(stopped.ended, Err("the run was stopped".into()));
    }
}
