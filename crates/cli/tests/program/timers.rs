//! `clockscope timers`.

use clockscope_analysis::record::{TimerPart, TimerReport};

use crate::*;

fn report(json: &str) -> TimerReport {
    obeying("timers.schema.json", json)
}

#[test]
fn nothing_wakes_early_and_the_report_obeys_its_schema() {
    let report = report(&quiet(run(&["timers", "--time", "600ms", "--for", "1us,100us,2ms", "--format", "json"])));
    assert_eq!((report.early, report.failed), (0, 0), "{report:?}");
    assert!(report.rows.iter().any(|row| row.way == "sched-yield" && row.asked_ns.is_none()), "{report:?}");
    let row = |way: &str, asked: f64| report.rows.iter().find(|row| row.way == way && row.asked_ns == Some(asked));
    let poll = row("poll", 1000.0).expect("poll is everywhere");
    // A whole millisecond of 1 µs, whatever the load.
    assert_eq!((poll.passed_ns, poll.parts_ns.get(&TimerPart::Unit)), (Some(1e6), Some(&999_000.0)), "{poll:?}");
    for row in &report.rows {
        let late = row.late_ns.expect("it slept");
        assert!(late.low <= late.value && late.value <= late.high && row.late_min_ns <= Some(late.low), "{row:?}");
        let parts: f64 = row.parts_ns.values().sum();
        assert!(row.asked_ns.is_none() || (parts - late.value).abs() <= 1e-6 * late.value, "{row:?}");
    }
}

#[test]
fn every_format_and_a_trace() {
    for (format, word) in [("table", "Late by"), ("csv", "way,api,asked_ns,"), ("markdown", "# Sleeps and timers")] {
        let out = well(run(&["timers", "--format", format, "--for", "1us,1ms", "--time", "100ms"]));
        assert!(out.contains(word), "{out}");
    }
    let folder = TempDir::new().unwrap();
    let command = |args: &[&str]| well(done(clockscope(args).current_dir(folder.path())));
    let live = command(&["timers", "--for", "1us", "--time", "100ms", "--format", "json", "--trace", "x.trace"]);
    assert_eq!(command(&["analyze", "x.trace", "--format", "json"]), live);
}

/// The slack is this test's to give: a child inherits it.
#[test]
fn the_slack_that_it_was_given_is_the_slack_it_names() {
    // Of a thread of its own: the slack is the thread's, and its child's default.
    let ended = std::thread::spawn(|| {
        // SAFETY: sets a number of this thread, touches no memory.
        assert_eq!(unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 3_000_000_u64, 0, 0, 0) }, 0);
        run(&["timers", "--for", "1ms", "--time", "1s", "--format", "json"])
    });
    let report = report(&well(ended.join().unwrap()));
    if report.policy.as_deref() != Some("SCHED_OTHER") {
        return;
    }
    assert_eq!(report.slack_ns, Some(3e6));
    assert!(
        report.rows.iter().all(|row| row.parts_ns.get(&TimerPart::Slack).is_none_or(|ns| *ns <= 3e6)),
        "{report:?}"
    );
}

#[test]
fn a_signal_ends_it_with_what_there_is() {
    let child = start(&mut clockscope(&["timers", "--time", "30s", "--format", "json"]));
    // Its timer comes with the ways to sleep, and sleeps are switches.
    let has_timer = || {
        let mut files = std::fs::read_dir(format!("/proc/{}/fd", child.id())).expect("it runs").flatten();
        files.any(|file| std::fs::read_link(file.path()).is_ok_and(|link| link.ends_with("anon_inode:[timerfd]")))
    };
    let switches = || -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        line.and_then(|count| count.trim().parse().ok()).expect("a count")
    };
    await_true(has_timer);
    let before = switches();
    await_true(|| switches() > before + 100);
    kill("-INT", &child.id().to_string());
    let (code, out, err) = text(child.wait_with_output().unwrap());
    assert_eq!(code, Some(130), "{err}");
    let report = report(&out);
    assert!(report.interrupted && !report.rows.is_empty(), "{report:?}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (args, words) in [
        (&["--for", "2s"][..], &["at most 1 s"][..]),
        (&["--for", "0"], &["more than zero"]),
        (&["--for", "x"], &["as in 500ms"]),
        (&["--reads", "9"], &["--time"]),
        (&["--clock", "tsc"], &["leave --clock out"]),
        (&["--ref", "tsc"], &["leave --ref out"]),
    ] {
        refused(run(&[&["timers"], args].concat()), 2, words);
    }
}
