//! `clockscope runtimes`. The runtimes here are scripts that stand on the PATH as the real ones would.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use clockscope_analysis::record::{RuntimeFound, RuntimesReport, Samples};

use crate::sweep::Files;
use crate::*;

/// What a probe writes of a clock whose quantum is 100 ns, which goes back twice.
const GOOD: &str = r##"
echo "# clockscope-probe/1"; echo "# runtime Perl 9"; echo "# timer now"; echo "# clock now 1/10000000"
echo "# claim now frequency 10000000"; echo "# absent later this Perl has no later"
for i in 1 2 3 4 5 6 7 8 9; do echo "# pair now 1000 20000 4000$i"; done
i=1000; while [ $i -lt 1400 ]; do i=$((i + 1 + i % 3)); echo "now $i"; if [ $i = 1203 ]; then i=1100; fi; done
echo "# end""##;

/// A folder with programs of these names, and one to build in.
fn with(programs: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, script) in programs {
        let path = folder.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n[ \"$1\" = --version ] && {{ echo v1; exit; }}\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

fn runtimes(folder: &TempDir, args: &[&str]) -> Ended {
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    done(
        clockscope(&[&["runtimes"], args].concat())
            .env("PATH", path)
            .env("XDG_CACHE_HOME", folder.path().join("cache")),
    )
}

fn report(ended: Ended) -> RuntimesReport {
    obeying("runtimes.schema.json", &quiet(ended))
}

fn one(report: &RuntimesReport) -> &RuntimeFound {
    let [found] = &report.runtimes[..] else { panic!("{report:?}") };
    found
}

#[test]
fn a_probes_readings_are_judged_as_any_samples_are() {
    let folder = with(&[("perl", GOOD)]);
    let report = report(runtimes(&folder, &["perl", "--format", "json"]));
    let found = one(&report);
    assert_eq!(found.missing, None);
    assert_eq!(found.absent.len(), 1, "{found:?}");
    let [clock] = &found.clocks[..] else { panic!("{found:?}") };
    assert_eq!((clock.sampled.label.as_str(), clock.sampled.unit_ns), ("now", 100.0));
    assert_eq!(clock.sampled.backward.map(|back| back.count), Some(1), "{clock:?}");
    let cost = clock.sampled.cost_ns.expect("there are pairs");
    assert!((cost.median - 20.0).abs() < 0.1, "{cost:?}");
    // It asks the system for nothing.
    assert!(clock.beneath.is_none() && clock.sampled.missing.contains_key("beneath"), "{clock:?}");
}

#[test]
fn what_a_probe_wrote_is_saved_as_it_was_written() {
    let folder = with(&[("perl", GOOD)]);
    let readings = folder.path().join("a/b");
    let save = ["perl", "--format", "json", "--save", readings.to_str().unwrap()];
    let found = one(&report(runtimes(&folder, &save))).clone();
    let saved = readings.join("perl.txt");
    let analyzed = quiet(done(&mut clockscope(&["analyze", saved.to_str().unwrap(), "--format", "json"])));
    let analyzed: Samples = serde_json::from_str(&analyzed).unwrap();
    assert_eq!(analyzed.clocks[0].tick_ns, found.clocks[0].sampled.tick_ns);
    assert_eq!(analyzed.clocks[0].cost_ns, found.clocks[0].sampled.cost_ns);
    // Where nothing can be saved, that is known before anything is measured, or said with what was measured.
    let (code, _, err) = runtimes(&folder, &["perl", "--save", saved.to_str().unwrap()]);
    assert!(code == Some(2) && err.contains("perl.txt"), "{code:?} {err}");
    fs::remove_file(&saved).unwrap();
    std::os::unix::fs::symlink("/dev/full", &saved).unwrap();
    let full = report(runtimes(&folder, &save));
    assert!(full.notes.iter().any(|note| note.contains("perl.txt")), "{:?}", full.notes);
    assert_eq!(one(&full).missing, None);
}

#[test]
fn what_goes_wrong_is_a_row_that_says_so() {
    let cases = [
        ("echo '# clockscope-probe/1'; echo '# clock now 1'; echo 'now 1'; sleep 100", "did not end within 1s"),
        (
            "echo '# clockscope-probe/1'; echo '# clock now 1'; echo 'now 1'; echo alas >&2; exit 3",
            "exit status: 3: alas",
        ),
        ("echo '# clockscope-probe/1'; echo '# clock now 1'; echo 'now 1'; echo 'now soon'", "line 4"),
        ("echo '# clockscope-probe/1'; echo '# clock now 1'; echo 'now 1'", "before it was done"),
        ("kill -9 $$", "signal: 9"),
    ];
    for (script, why) in cases {
        let folder = with(&[("perl", script)]);
        let report = report(runtimes(&folder, &["perl", "--limit", "1s", "--format", "json"]));
        let found = one(&report);
        assert!(found.missing.as_ref().is_some_and(|missing| missing.contains(why)), "{script}: {found:?}");
        assert_eq!(found.clocks.len(), usize::from(script.starts_with("echo")), "{script}: {found:?}");
        let table = quiet(runtimes(&folder, &["perl", "--limit", "1s"]));
        assert!(table.contains("Not run, or not to the end"), "{table}");
    }
}

#[test]
fn under_another_clocksource_the_old_one_comes_back() {
    let script = format!("cp \"$CLOCKSCOPE_CLOCKSOURCE_DIR/current_clocksource\" \"$XDG_CACHE_HOME/seen\"\n{GOOD}");
    let folder = with(&[("perl", &script)]);
    let files = Files::new("tsc hpet", "tsc\n");
    let under = |name: &str| {
        let mut command = clockscope(&["runtimes", "perl", "--format", "json", "--under", name]);
        command.env("PATH", format!("{}:/usr/bin:/bin", folder.path().display()));
        command.env("XDG_CACHE_HOME", folder.path().join("cache")).env("CLOCKSCOPE_CLOCKSOURCE_DIR", files.folder());
        done(&mut command)
    };
    for name in ["hpet", "tsc"] {
        let report = report(under(name));
        assert!(one(&report).missing.is_none(), "{report:?}");
        let seen = fs::read_to_string(folder.path().join("cache/seen")).unwrap();
        assert_eq!((seen.trim(), files.current().as_str()), (name, "tsc\n"));
    }
    refused(under("acpi_pm"), 2, &["no clocksource 'acpi_pm'", "tsc, hpet", "nothing was changed"]);
    assert_eq!(files.current(), "tsc\n");
}

#[test]
fn what_is_not_there_says_how_to_get_it() {
    let folder = with(&[]);
    let ended = done(
        clockscope(&["runtimes", "erlang", "--format", "csv"])
            .env("PATH", folder.path())
            .env("XDG_CACHE_HOME", folder.path().join("cache")),
    );
    let csv = quiet(ended);
    assert!(csv.lines().count() == 2 && csv.contains("erlang") && csv.contains("is not on the PATH"), "{csv}");
    refused(run(&["runtimes", "pyton"]), 2, &["no runtime is called 'pyton'", "python"]);
    refused(run(&["runtimes", "--time", "1s"]), 2, &["--reads"]);
    refused(done(clockscope(&["runtimes"]).env_remove("XDG_CACHE_HOME").env_remove("HOME")), 3, &["XDG_CACHE_HOME"]);
}

#[test]
fn the_clock_beneath_is_named() {
    let folder = with(&[]);
    let report = report(runtimes(&folder, &["c", "python", "--reads", "1000", "--format", "json"]));
    for found in report.runtimes.iter().filter(|found| found.missing.is_none()) {
        for clock in &found.clocks {
            let label = clock.sampled.label.as_str();
            let wanted = match label {
                "clock_gettime(CLOCK_MONOTONIC)" | "time.perf_counter_ns" | "time.monotonic_ns" => "monotonic",
                "clock_gettime(CLOCK_MONOTONIC_RAW)" => "monotonic-raw",
                "time.time_ns" | "time.time" => "realtime",
                "time.process_time_ns" | "clock_gettime(CLOCK_PROCESS_CPUTIME_ID)" => "process-cputime",
                "time.thread_time_ns" => "thread-cputime",
                _ => continue,
            };
            // Where nobody may be watched, that is said.
            let Some(beneath) = &clock.beneath else {
                assert!(clock.sampled.missing.contains_key("beneath"), "{clock:?}");
                continue;
            };
            assert_eq!(beneath.clock.as_deref(), Some(wanted), "{label}: {beneath:?}");
        }
    }
    for (format, word) in
        [("table", "OS clock"), ("markdown", "# Clocks of language runtimes"), ("csv", "beneath_clock")]
    {
        assert!(well(runtimes(&folder, &["python", "--reads", "300", "--format", format])).contains(word));
    }
}
