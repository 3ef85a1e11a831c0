//! `clockscope interruptions`: what is done to it, it names.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clockscope_analysis::record::{Cause, InterruptionReport, LostTo};

use crate::*;

const JSON: [&str; 3] = ["interruptions", "--format", "json"];

fn report(json: &str) -> InterruptionReport {
    obeying("interruptions.schema.json", json)
}

/// What the CPU that was watched lost to a cause.
fn lost(report: &InterruptionReport, cause: Cause) -> Option<LostTo> {
    report.cpus[0].causes.iter().find(|lost| lost.cause == cause).copied()
}

#[test]
fn the_times_add_up_and_the_report_obeys_its_schema() {
    let report = report(&quiet(run(&[&JSON[..], &["--time", "1s"]].concat())));
    let [cpu] = &report.cpus[..] else { panic!("one CPU is watched: {report:?}") };
    let by_cause: f64 = cpu.causes.iter().map(|lost| lost.lost_ns).sum();
    let by_length: f64 = cpu.lengths.iter().map(|class| class.lost_ns).sum();
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * b.abs();
    assert!(near(by_cause, cpu.lost_ns) && near(by_length, cpu.lost_ns), "{cpu:?}");
    assert_eq!(cpu.lengths.iter().map(|class| class.count).sum::<u64>(), cpu.count);
    assert_eq!(cpu.causes.iter().map(|lost| lost.count).sum::<u64>(), cpu.count);
    // Where something else kept the CPU for all of the second, the reason stands in its place.
    match cpu.lost_share {
        None => assert!(cpu.missing.contains_key("lost_share"), "{cpu:?}"),
        Some(share) => {
            // Long ones are seen in looks as well.
            let watched_ns = cpu.seen_ns + cpu.lost_ns;
            let least = cpu.lost_ns / (watched_ns + cpu.looking_ns) * (1.0 - 1e-6);
            let most = cpu.lost_ns / watched_ns * (1.0 + 1e-6);
            assert!((least..=most).contains(&share) && (0.0..=1.0).contains(&share), "{cpu:?}");
        }
    }
    assert!(cpu.longest.iter().all(|event| event.length_ns > cpu.longer_than_ns && event.time.is_some()), "{cpu:?}");
}

#[test]
fn every_format_and_all_cpus() {
    let cpus = allowed_cpus().unwrap().iter().take(2).map(u32::to_string).collect::<Vec<_>>().join(",");
    for (format, word) in [("table", "CPU "), ("csv", "lost_ns_by_cause,cpu,"), ("markdown", "# Interruptions")] {
        let out = well(run(&["interruptions", "--format", format, "--cpus", &cpus, "--time", "100ms"]));
        assert!(out.contains(word), "{out}");
    }
}

#[test]
fn that_the_collecting_thread_has_no_cpu_of_its_own_is_said() {
    let all = report(&well(done(&mut on_one(&clockscope(&[&JSON[..], &["--time", "300ms"]].concat())))));
    let is_said = |report: &InterruptionReport| report.notes.iter().any(|note| note.contains("every CPU"));
    assert!(is_said(&all), "{:?}", all.notes);
    let cpu = first_cpu();
    let one = report(&well(run(&[&JSON[..], &["--cpus", &cpu, "--time", "300ms"]].concat())));
    assert!(!is_said(&one) || !has_two(), "{:?}", one.notes);
}

#[test]
fn a_trace_tells_the_same() {
    let folder = TempDir::new().unwrap();
    let command = |args: &[&str]| well(done(clockscope(args).current_dir(folder.path())));
    let live = command(&[&JSON[..], &["--time", "200ms", "--trace", "x.trace"]].concat());
    assert_eq!(command(&["analyze", "x.trace", "--format", "json"]), live);
}

#[test]
fn stops_are_told_by_their_length() {
    let child = start(&mut clockscope(&[&JSON[..], &["--time", "60s"]].concat()));
    let id = child.id().to_string();
    await_work(child.id(), "watch-");
    for _ in 0..3 {
        kill("-STOP", &id);
        pause(200);
        kill("-CONT", &id);
        pause(300);
    }
    kill("-INT", &id);
    let (code, out, err) = text(child.wait_with_output().unwrap());
    assert_eq!(code, Some(130), "{err}");
    let report = report(&out);
    assert!(report.interrupted);
    let stopped = lost(&report, Cause::Stopped).expect("it was stopped");
    // A thread that has no CPU stops only when it gets one: of each 200 ms half, on a machine however busy.
    assert!(stopped.lost_ns > 3.0 * 100e6, "{report:?}");
}

/// A group of processes, killed when dropped: a test that fails leaves none behind.
struct Hogs(Child);

impl Drop for Hogs {
    fn drop(&mut self) {
        kill("-KILL", &format!("-{}", self.0.id()));
        let _ = self.0.wait();
    }
}

#[test]
fn who_else_wants_the_cpu_is_seen() {
    let cpu = first_cpu();
    let hog = ["-c", "for i in 1 2; do while :; do :; done & done; wait"];
    let _hogs = Hogs(under("taskset", &["-c", &cpu, "setsid"], Command::new("sh").args(hog)).spawn().unwrap());
    let report = report(&well(run(&[&JSON[..], &["--cpu", &cpu, "--time", "2s"]].concat())));
    assert!(lost(&report, Cause::Preempted).is_some_and(|lost| lost.count > 1), "{report:?}");
}

/// A cgroup of the kernel's CPU controller, gone when dropped.
struct Group(PathBuf);

impl Group {
    /// One that grants a twentieth of a CPU, which it has used up however busy the others are; `None` where this test may not make any.
    fn of_a_twentieth() -> Option<Self> {
        let name = format!("clockscope-test-{}", std::process::id());
        let (v2, v1) = ("/sys/fs/cgroup", "/sys/fs/cgroup/cpu");
        let is_v2 = PathBuf::from(v2).join("cgroup.controllers").exists();
        let group = Self(PathBuf::from(if is_v2 { v2 } else { v1 }).join(name));
        fs::create_dir(&group.0).ok()?;
        let limit = |file: &str, text: &str| {
            fs::OpenOptions::new().write(true).open(group.0.join(file))?.write_all(text.as_bytes())
        };
        let limited = if is_v2 {
            limit("cpu.max", "5000 100000")
        } else {
            limit("cpu.cfs_period_us", "100000").and_then(|()| limit("cpu.cfs_quota_us", "5000"))
        };
        limited.ok().map(|()| group)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn a_quota_that_is_used_up_is_called_that() {
    let Some(group) = Group::of_a_twentieth() else { return };
    let procs = group.0.join("cgroup.procs");
    let inside = format!("echo $$ > {} && exec \"$0\" \"$@\"", procs.display());
    let report =
        report(&well(done(&mut under("sh", &["-c", &inside], &clockscope(&[&JSON[..], &["--time", "10s"]].concat())))));
    let throttled = lost(&report, Cause::Throttled).expect("it was throttled");
    assert!(throttled.count > 1, "{report:?}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (args, words) in [
        (&["--cpus", "99999"][..], &["CPU 99999 is not among"][..]),
        (&["--cpus", "x"], &["as in 0-3,8"]),
        (&["--cpus", "0", "--cpu", "0"], &["take one of them"]),
        (&["--reads", "9"], &["--time"]),
        (&["--clock", "tsc"], &["leave --clock out"]),
        (&["--longer-than", "0"], &["more than zero"]),
    ] {
        refused(run(&[&["interruptions"], args].concat()), 2, words);
    }
}
