//! Every command that README, pages and helps show works as printed; those that measure are given less time.

use std::fs;
use std::path::Path;

use super::*;

/// What is to be filled in, what changes the machine, and what a shell does with the result.
const NOT_AS_PRINTED: [&str; 8] = ["CLOCK", "FILE", "SHELL", "--change-clocksource", ">", "--time", "|", "--fetch"];

/// The lines of code blocks that begin with the program's name, without what is said beside them.
fn commands(text: &str, marker: &str) -> Vec<String> {
    let mut inside = marker.is_empty();
    let mut found = Vec::new();
    for line in text.lines() {
        if !marker.is_empty() && line.starts_with(marker) {
            inside = !inside;
        }
        let line = line.trim();
        let command = line.split("  ").next().unwrap_or_default().split(" #").next().unwrap_or_default().trim();
        let is_command = command == "clockscope" || command.starts_with("clockscope ");
        if inside && is_command && !NOT_AS_PRINTED.iter().any(|not| command.contains(not)) {
            found.push(command.to_owned());
        }
    }
    found
}

fn pages() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let docs = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = docs.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    pages.chain([root.join("README.md")]).map(|path| fs::read_to_string(path).unwrap()).collect()
}

#[test]
fn each_works_as_printed() {
    let mut all: Vec<String> = pages().iter().flat_map(|page| commands(page, "```")).collect();
    for command in [
        "",
        "deltas",
        "skew",
        "span",
        "frequency",
        "threads",
        "interruptions",
        "timers",
        "monitor",
        "runtimes",
        "doctor",
        "check",
        "analyze",
        "compare",
        "report",
        "export",
        "sweep",
    ] {
        let help = well(run(&["help", command][..=usize::from(!command.is_empty())]));
        let examples = help.split_once("Examples:\n").map_or("", |(_, examples)| examples);
        all.extend(commands(examples.split("\n\n").next().unwrap_or_default(), ""));
    }
    all.sort();
    all.dedup();
    // Those that keep something come before those that read it.
    all.sort_by_key(|command| !command.contains("--trace") && !command.contains("--save"));
    assert!(all.len() > 15, "{all:#?}");
    let folder = TempDir::new().unwrap();
    let samples = |row: fn(u64) -> String| (1..300).map(row).collect::<String>();
    let put = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    put("samples.txt", samples(|i| format!("clock {}\n", i * i)).as_bytes());
    put("samples.csv", format!("ticks,cpu\n{}", samples(|i| format!("{},1\n", i * i))).as_bytes());
    put("samples.u64", &(1..300_u64).flat_map(u64::to_le_bytes).collect::<Vec<u8>>());
    let record = include_bytes!("../fixtures/record.json");
    for name in ["before", "after", "other", "a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4"] {
        put(&format!("{name}.json"), record);
    }
    let trace = fs::read(format!("{}/tests/traces/kvm-clock.trace", env!("CARGO_MANIFEST_DIR"))).unwrap();
    for side in ["before", "after"] {
        put(&format!("{side}.trace"), &trace);
        fs::create_dir(folder.path().join(side)).unwrap();
        put(&format!("{side}/1.json"), record);
    }
    put("my.toml", b"schema = 'clockscope-policy/1'\nundecided = 'pass'\n[machine]\nos = 'linux'\n");
    put("survey.json", record);
    put("clocks.json", record);
    fs::create_dir(folder.path().join("fleet")).unwrap();
    put("fleet/a.json", record);
    for command in &all {
        let mut args: Vec<&str> = command.split(' ').skip(1).collect();
        let reads_a_trace = (command.contains(".trace") && !command.contains("--trace"))
            || [
                "analyze samples",
                "analyze readings",
                "clockscope compare",
                "report before",
                "report clocks",
                "clockscope export",
            ]
            .iter()
            .any(|reads| command.contains(reads))
            || (command.contains("check --policy")
                && [" survey.json", " clocks.json", " fleet/"].iter().any(|file| command.contains(file)));
        args.extend(match () {
            () if reads_a_trace => &[][..],
            () if command.starts_with("clockscope runtimes") => &["--reads", "300"],
            () => &["--time", "100ms"],
        });
        let (code, out, err) = done(clockscope(&args).current_dir(folder.path()));
        let by_gate = (command.contains("--fail-on") || command.contains("check --policy")) && code == Some(1);
        let by_consent = command == "clockscope sweep" && code == Some(2) && err.contains("Nothing was changed");
        // Those that need two CPUs, and name the first two.
        let by_cpus = code == Some(2) && (err.contains("is not among the CPUs") || !has_two());
        assert!(code == Some(0) || by_gate || by_consent || by_cpus, "{command}: {code:?} {err}");
        assert!(
            !out.is_empty() || command.contains("--output") || command.contains(" -o ") || code != Some(0),
            "{command}"
        );
    }
}
