//! Policies: here, on records and traces, and all that can be wrong with them.

use std::fs;
use std::path::PathBuf;

use clockscope_analysis::record::{CheckReport, Decision, Kind, Record};

use super::*;

fn fixture(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name).to_string_lossy().into_owned()
}

fn record() -> Record {
    serde_json::from_str(&fs::read_to_string(fixture("fixtures/record.json")).unwrap()).unwrap()
}

/// Written into the folder.
fn put(folder: &TempDir, name: &str, text: &str) -> String {
    let path: PathBuf = folder.path().join(name);
    fs::write(&path, text).unwrap();
    path.to_string_lossy().into_owned()
}

fn saved(folder: &TempDir, name: &str, change: impl FnOnce(&mut Record)) -> String {
    let mut record = record();
    change(&mut record);
    put(folder, name, &serde_json::to_string(&record).unwrap())
}

/// A policy of that text.
fn policy(folder: &TempDir, name: &str, asks: &str) -> String {
    put(folder, name, &format!("schema = \"clockscope-policy/1\"\n{asks}"))
}

fn checked(policy: &str, record: &str) -> (Option<i32>, CheckReport) {
    let (code, out, err) = run(&["check", "--policy", policy, record, "--format", "json"]);
    assert!(!out.is_empty(), "{err}");
    (code, obeying("check.schema.json", &out))
}

/// A machine as each of the ready-made policies wants it.
fn sound(record: &mut Record) {
    record.findings.clear();
    let ntp = record.machine.ntp.as_mut().unwrap();
    (ntp.synchronised, ntp.max_error_ns) = (true, 1e6);
    for clock in &mut record.clocks {
        (clock.regressions.count, clock.warps.count, clock.stalls.unexplained, clock.failed_reads) = (0, 0, 0, 0);
    }
}

#[test]
fn each_ready_made_policy_passes_on_a_sound_machine_and_fails_where_it_should() {
    let folder = TempDir::new().unwrap();
    let good = saved(&folder, "good.json", sound);
    let bad = |name: &str, change: &dyn Fn(&mut Record)| {
        saved(&folder, name, |record| {
            sound(record);
            change(record);
        })
    };
    let slow = bad("slow.json", &|record| {
        for cost in
            record.clocks.iter_mut().filter(|clock| clock.kind != Kind::Counter).filter_map(|c| c.cost_ns.as_mut())
        {
            (cost.median, cost.low, cost.high) = (1250.0, 1240.0, 1260.0);
        }
    });
    let source = bad("source.json", &|record| record.machine.clocksource.current = Some("hpet".into()));
    let unkept = bad("unkept.json", &|record| record.machine.ntp.as_mut().unwrap().synchronised = false);
    let metal = bad("metal.json", &|record| record.machine.virtualization.guest = Some(false));
    let stolen = bad("stolen.json", &|record| record.run.steal_share = Some(0.3));
    let jumped = bad("jumped.json", &|record| record.clocks.iter_mut().for_each(|clock| clock.warps.count = 1));
    for (name, failing) in [
        ("low-latency", &[&slow, &source, &stolen, &jumped][..]),
        ("database", &[&slow, &unkept, &jumped]),
        ("ci-runner", &[&slow, &stolen, &jumped]),
        ("vm-image", &[&slow, &source, &metal, &jumped]),
    ] {
        let (code, report) = checked(name, &good);
        let failed: Vec<_> = report.records[0].requirements.iter().filter(|row| row.fails).collect();
        assert!(code == Some(0) && report.passed, "{name}: {failed:#?}");
        for file in failing {
            let (code, report) = checked(name, file);
            assert!(code == Some(1) && report.counts.violated > 0, "{name} on {file}: {:?}", report.counts);
        }
    }
}

#[test]
fn the_policy_that_init_writes_passes_on_its_record() {
    let folder = TempDir::new().unwrap();
    let mut files = vec![fixture("fixtures/record.json")];
    files.extend(
        ["amd-milan", "intel-spr", "jiffies", "kvm-clock"].map(|name| fixture(&format!("traces/{name}.trace"))),
    );
    for (at, file) in files.iter().enumerate() {
        let text = quiet(run(&["check", "--init", file]));
        assert!(text.contains("schema = \"clockscope-policy/1\"") && text.matches("\n# ").count() > 5, "{text}");
        let policy = put(&folder, &format!("{at}.toml"), &text);
        let (code, report) = checked(&policy, file);
        assert!(code == Some(0) && report.passed, "{file}: {report:#?}\n{text}");
        if at > 0 {
            // It is of that machine, not of any: the record's counter moves otherwise, or its clocksource is another one.
            let (_, other) = checked(&policy, &files[0]);
            assert!(other.counts.met > 0, "{file}");
        }
    }
    refused(run(&["check", "--init", &files[0], &files[1]]), 2, &["of one record"]);
    refused(run(&["check", "--init", "--format", "json"]), 2, &["--format"]);
}

#[test]
fn a_run_here_and_its_trace_come_to_the_same() {
    let folder = TempDir::new().unwrap();
    let trace = folder.path().join("a.trace").to_string_lossy().into_owned();
    let asks = "undecided = 'pass'\ndeny = ['error']\n[machine]\ncpus = 1\n[clocks.CLOCK_MONOTONIC]\ncost_ns = 1e6\nfaults = 0\n[skew.monotonic]\nagree = true\n";
    let policy = policy(&folder, "p.toml", asks);
    let args = ["check", "--policy", &policy, "--time", "100ms", "--trace", &trace, "--format", "json"];
    let (code, out, err) = run(&args);
    assert!(matches!(code, Some(0 | 1)), "{err}");
    let here: CheckReport = obeying("check.schema.json", &out);
    let (again, there) = checked(&policy, &trace);
    assert_eq!(here.records[0].requirements, there.records[0].requirements);
    assert_eq!((code, here.passed, here.counts), (again, there.passed, there.counts));
    let saved = put(&folder, "a.json", &quiet(run(&["analyze", &trace, "--format", "json"])));
    assert_eq!(checked(&policy, &saved).1.records[0].requirements, here.records[0].requirements);
    assert_eq!(here.records[0].record, "this machine");
    assert!(here.records[0].requirements.iter().any(|row| row.requirement == "clocks.monotonic.cost_ns"));
}

#[test]
fn many_records_are_one_report_and_undecided_fails_unless_it_may_be() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("fleet")).unwrap();
    for at in 0..30 {
        saved(&folder, &format!("fleet/{at:02}.json"), |record| {
            if at == 7 {
                record.clocks.retain(|clock| clock.id != "monotonic");
            }
        });
    }
    let fleet = folder.path().join("fleet").to_string_lossy().into_owned();
    let asks =
        |undecided: &str| format!("undecided = '{undecided}'\n[clocks.monotonic]\ncost_ns = 100\npath = 'vdso'\n");
    let strict = policy(&folder, "strict.toml", &asks("fail"));
    let (code, report) = checked(&strict, &fleet);
    let counts = report.counts;
    assert_eq!((code, report.records.len(), counts.records_failed), (Some(1), 30, 1));
    assert_eq!((counts.met, counts.violated, counts.undecided, counts.undecided_passed), (58, 0, 2, 0));
    assert_eq!(report.records[7].requirements[0].outcome, Decision::Undecided);
    let (code, out, err) = run(&["check", "--policy", &strict, &fleet]);
    assert_eq!(code, Some(1));
    assert!(err.contains("0 requirements violated, 2 undecided on 1 of 30 records"), "{err}");
    assert!(out.contains("07.json") && !out.contains("06.json") && out.contains("no clock 'monotonic'"), "{out}");
    let (_, csv, _) = run(&["check", "--policy", &strict, &fleet, "--format", "csv"]);
    assert_eq!(csv.lines().count(), 61);
    let lenient = policy(&folder, "lenient.toml", &asks("pass"));
    let (code, report) = checked(&lenient, &fleet);
    assert_eq!((code, report.counts.undecided_passed), (Some(0), 2));
    let github = quiet(run(&["check", "--policy", &lenient, &fleet, "--format", "github"]));
    assert_eq!(github.matches("::notice title=clocks.monotonic.").count(), 2, "{github}");
}

#[test]
fn junit_and_github_take_whatever_a_record_holds() {
    let folder = TempDir::new().unwrap();
    let odd = "a<b>&\"c\"\r\n::error::x%\u{1}\u{ffff}";
    let file = saved(&folder, "odd.json", |record| {
        (record.machine.hostname, record.machine.governor) = (Some(odd.into()), Some(odd.into()));
    });
    let policy = policy(&folder, "p.toml", "[machine]\ngovernor = 'performance'\nos = 'linux'\n");
    let (code, xml, _) = run(&["check", "--policy", &policy, &file, "--format", "junit"]);
    assert_eq!(code, Some(1));
    assert!(xml.starts_with("<?xml") && xml.contains("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\""), "{xml}");
    assert!(xml.contains("a&lt;b&gt;&amp;&quot;c&quot;") && !xml.contains(['\u{1}', '\u{ffff}', '\r']), "{xml}");
    assert!(
        xml.contains("<testcase") && xml.contains("name=\"machine.governor\"") && xml.contains("type=\"violated\""),
        "{xml}"
    );
    let (code, out, _) = run(&["check", "--policy", &policy, &file, "--format", "github"]);
    assert_eq!((code, out.lines().count()), (Some(1), 2), "{out}");
    assert!(out.lines().all(|line| line.starts_with("::error title=")) && out.contains("x%25"), "{out}");
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let folder = TempDir::new().unwrap();
    let good = fixture("fixtures/record.json");
    for (text, words) in [
        ("", &["is empty", "--init"][..]),
        ("schema = 'clockscope-policy/1'", &["asks for nothing"]),
        ("schema = 'clockscope-policy/9'\n", &["line 1, column 10", "of another version"]),
        ("schema = 'clockscope-policy/1'\n[clocks.tsc\n", &["line 2"]),
        ("schema = 'clockscope-policy/1'\n[clocks.tsc]\ncots_ns = 5\n", &["line 3, column 1", "did you mean cost_ns?"]),
        ("schema = 'clockscope-policy/1'\ndeny = ['CS999']\n", &["line 2, column 8", "CS999"]),
        ("schema = 'clockscope-policy/1'\n[clocks.tsc]\ncost_ns = nan\n", &["line 3, column 11", "no limit"]),
        ("schema = 'clockscope-policy/1'\n[clocks.tsc]\ncost_ns = -5\n", &["below 0"]),
        (
            "schema = 'clockscope-policy/1'\n[[waive]]\nfinding = 'CS009'\nreason = 'x'\nuntil = 2026-02-30\n",
            &["line 5"],
        ),
    ] {
        let policy = put(&folder, "p.toml", text);
        refused(run(&["check", "--policy", &policy, &good]), 2, words);
    }
    let policy = policy(&folder, "p.toml", "[machine]\nos = 'linux'\n");
    let check = |file: &str| run(&["check", "--policy", &policy, file]);
    let text = fs::read_to_string(&good).unwrap();
    refused(check(&put(&folder, "later.json", &text.replace("clockscope/1", "clockscope/2"))), 2, &["clockscope/2"]);
    refused(check(&put(&folder, "half.json", &text[..text.len() / 2])), 2, &["half.json"]);
    refused(check(&put(&folder, "other.json", "{\"a\": 1}")), 2, &["other.json"]);
    refused(check(&fixture("traces/none.trace")), 2, &["can't read"]);
    refused(run(&["check", "--policy", "data-base", &good]), 2, &["did you mean database?"]);
    refused(run(&["check"]), 2, &["--policy"]);
    refused(run(&["check", "--policy", &policy, "--time", "1s", &good]), 2, &["--time is for measuring"]);
    refused(run(&["check", "--policy", "-", "-"]), 2, &["both the policy and a record"]);
    for format in ["junit", "github"] {
        refused(run(&["--format", format]), 2, &["for `clockscope check` alone"]);
        refused(run(&["doctor", "--format", format]), 2, &["for `clockscope check` alone"]);
        assert_eq!(run(&["check", "--policy", &policy, &good, "--format", format]).0, Some(0));
    }
    let (code, out, err) = run(&["check", "--policy", &policy, &good, "--output", "/dev/full"]);
    assert!(code == Some(3) && err.contains("no space left") && out.contains("passed"), "{code:?} {out} {err}");
}

#[test]
fn the_page_s_policy_is_one() {
    let folder = TempDir::new().unwrap();
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/check.md")).unwrap();
    let blocks: Vec<&str> = page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(blocks.len(), 1);
    let policy = put(&folder, "page.toml", blocks[0]);
    let (code, report) = checked(&policy, &fixture("fixtures/record.json"));
    assert!(code == Some(0) && report.records[0].requirements.len() > 12, "{report:#?}");
    // Each key that a policy may have stands on the page.
    let keys = [
        "os",
        "arch",
        "cpu_vendor",
        "kernel",
        "cpus",
        "guest",
        "hypervisor",
        "container",
        "clocksource",
        "runs_on_tsc",
        "clocksource_available",
        "tsc",
        "tsc_watchdog",
        "governor",
        "synchronised",
        "max_error_ns",
        "standstill_share",
        "steal_share",
        "readable",
        "path",
        "cost_ns",
        "p99_ns",
        "resolution_ns",
        "faults",
        "rate_ppm",
        "span_ns",
        "agree",
        "offset_ns",
        "steps_back",
    ];
    assert!(keys.iter().all(|key| page.contains(&format!("`{key}`"))));
}
