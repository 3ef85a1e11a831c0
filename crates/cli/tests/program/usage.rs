//! The program as a user meets it without measuring: help, wrong usage, exit codes, generated files.

use std::process::Command;

use crate::{PROGRAM, clockscope, done, first_cpu, has_two, quiet, refused, run, well};

#[test]
fn help_shows_the_commands_and_examples() {
    let words = ["deltas", "doctor", "explain", "--clock <ID>", "Examples:", "Exit codes: 0 done"];
    for (args, words) in [
        (&["--help"][..], &words[..]),
        (&["-h"], &words),
        (&["deltas", "--help"], &["label value", "pandas.read_csv"]),
        (&["man"], &[".TH clockscope 1", "Examples"]),
        (&["man", "deltas"], &["all\\-rows"]),
        (&["schema"], &["\"title\": \"Record\""]),
        (&["schema", "sweep"], &["clockscope-sweep/1"]),
        (&["help"], &words),
        (&["help", "skew"], &["--cpus <LIST>", "clockscope skew --cpus 0,1"]),
    ] {
        let out = quiet(run(args));
        for word in words {
            assert!(out.contains(word), "{word} is missing from {args:?}");
        }
    }
    assert_eq!(run(&["--version"]).1, format!("clockscope {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn help_lists_what_a_command_takes_and_no_more() {
    for (command, hidden, shown) in [
        ("timers", &["--reads", "--clock", "--ref"][..], &["--time", "--cpu"][..]),
        ("interruptions", &["--reads", "--clock"], &["--time", "--ref"]),
        ("frequency", &["--reads"], &["--clock", "--time"]),
        ("threads", &["--cpu"], &["--reads", "--clock"]),
        ("monitor", &["--reads"], &["--ref", "--trace"]),
        (
            "analyze",
            &["--clock", "--ref", "--cpu", "--time", "--reads", "--seed", "--trace", "--hostname", "--machine-id"],
            &["--format"],
        ),
        ("list", &["--time", "--trace"], &["--clock"]),
    ] {
        let text = quiet(run(&[command, "--help"]));
        let lists = |option: &str| {
            text.lines().any(|line| line.trim_start().starts_with(&format!("{option} <")) || line.trim() == option)
        };
        assert!(hidden.iter().all(|option| !lists(option)), "{command}: {text}");
        assert!(shown.iter().all(|option| text.contains(&format!("{option} <"))), "{command}: {text}");
    }
}

#[test]
fn help_says_what_all_means_to_a_command() {
    for (command, words) in [
        ("timers", "each way and length"),
        ("interruptions", "tables for each CPU"),
        ("monitor", "the stability of every clock"),
        ("threads", "each thread"),
        ("span", "the error of each length"),
        ("deltas", "each difference"),
    ] {
        let text = quiet(run(&[command, "--help"]));
        assert!(text.contains(words) && !text.contains("forced ways of reading"), "{command}: {text}");
    }
}

#[test]
fn wrong_usage_exits_2_with_what_would_be_right() {
    let first = first_cpu();
    let unknown = "'monotonc'; did you mean monotonic?";
    let [outside, one] = if has_two() { ["CPU 60000 is not among", "two or more of"] } else { [""; 2] };
    for (args, hint) in [
        (&["--format", "jsno"][..], "'json'"),
        (&["--color", "alwys"], "'always'"),
        (&["lst"], "'list'"),
        (&["--clok", "tsc"], "'--clock'"),
        (&["man", "delta"], "did you mean deltas"),
        (&["help", "skw"], "'skw'"),
        (&["explain", "CS999"], "no finding has the code 'CS999'; CS001 to CS0"),
        (&["explain", "tsc"], "no finding has the code 'tsc'; CS001 to CS0"),
        (&["--time", "3 parsecs"], "'parsecs' is not a unit of time"),
        (&["--time", "0"], "more than zero"),
        (&["--time", "-1s"], "more than zero"),
        (&["--cpu", "-1"], "a CPU is a number"),
        (&["--reads", "1"], "a whole number from 2 to 2^64, as in 10000, 10k"),
        (&["--reads", "many"], "as in 10000, 10k"),
        (&["--seed", "-"], "a seed is a whole number"),
        (&["--cpu", "one"], "--cpu <N>"),
        (&["--cpu", "0-1"], "one CPU's number is wanted here, as in 3; `clockscope skew --cpus 0-1` takes a list"),
        (&["--cpu", "9999"], "CPU 9999"),
        (&["deltas"], "name one"),
        (&["deltas", "time", "--clock", "monotonic"], "deltas reads one clock"),
        (&["deltas", "time", "monotonic"], "deltas reads one clock"),
        (&["--clock", "nanoTim"], "did you mean nanotime?"),
        (&["deltas", "--clock", "time,monotonic"], "deltas reads one clock"),
        (&["deltas", "tsc", "--raw", "--format", "json"], "cannot be used with"),
        (&["--output", "/no/such/place/x.json"], "can't create /no/such/place/x.json"),
        (&["--output", "/no/such/x.yaml"], "known are json, jsonl,"),
        (&["list", "--output", "/no/such/x.yaml"], "known are json, jsonl,"),
        (&["doctor", "--output", "/no/such/x.yaml"], "known are json, jsonl,"),
        (&["--output", "/no/such/x.yaml", "--format", "csv"], "can't create /no/such/x.yaml"),
        (&["--trace", "/no/such/place/a.trace"], "can't create /no/such/place/a.trace"),
        (&["sweep", "--trace", "x"], "leave out --trace"),
        (&["analyze"], "<FILE>"),
        (&["completions", "bsh"], "'bash'"),
        (&["schema", "skw"], "'skew'"),
        (&["--clock", "monotonc"], unknown),
        (&["list", "--clock", "monotonc"], unknown),
        (&["deltas", "monotonc"], unknown),
        (&["skew", "--clock", "monotonc"], unknown),
        (&["--ref", "monotonc"], unknown),
        (&["--ref", "tsc", "--clock", "monotonic"], "ticks"),
        (&["--ref", "time", "--clock", "monotonic"], "coarse"),
        (&["skew", "--cpus", "all"], "as in 0-3,8"),
        (&["skew", "--cpus", "60000,60001"], outside),
        (&["skew", "--cpus", &first], one),
        (&["skew", "--clock", "thread-cputime"], "counts CPU time"),
        (&["skew", "--reads", "1000"], "take --time"),
        (&["threads", "--threads", "0"], "begin with 1, as in 1-24"),
        (&["threads", "--threads", "10000"], "at most 1024 threads read at once: each has"),
        (&["threads", "--threads", "all"], "as in 1,2,8 or 1-24"),
        (&["threads", "--clock", "monotonc"], unknown),
        (&["threads", "--cpu", "0"], "`taskset -c 0 clockscope threads`"),
        (&["skew", "--cpu", "0"], "take --cpus with two or more, as in `clockscope skew --cpus 0,1`"),
    ] {
        if !hint.is_empty() {
            refused(run(args), 2, &[hint]);
        }
    }
}

#[test]
fn clocks_go_by_the_names_that_people_type() {
    let csv = |clocks: &str| run(&["list", "--format", "csv", "--clock", clocks]);
    let ids = quiet(csv("monotonic,tai,thread-cputime"));
    assert_eq!(quiet(csv("clock_gettime,CLOCK_TAI,thread_cputime")), ids);
    let (code, out, err) = csv("nanoTime,clock_gettime(CLOCK_TAI),Thread_CPUTime");
    assert_eq!((code, out), (Some(0), ids), "{err}");
    assert_eq!(err, "clockscope: 'nanoTime' is clock_gettime(CLOCK_MONOTONIC) here: taking monotonic\n");
    let raw = well(run(&["deltas", "--clock", "CLOCK_MONOTONIC", "--reads", "1e3", "--raw"]));
    assert!(raw.lines().next().is_some_and(|line| line.starts_with("monotonic ")), "{raw}");
    let survey = ["--clock", "Stopwatch", "--ref", "std::time::Instant", "--time", "100ms", "--format", "json"];
    let (code, out, err) = run(&survey);
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(err.matches("taking monotonic\n").count(), 2, "{err}");
    let record: clockscope_analysis::record::Record = serde_json::from_str(&out).expect("a record");
    assert_eq!((record.clocks[0].id.as_str(), record.run.reference.as_str()), ("monotonic", "monotonic"));
}

#[test]
fn only_what_has_a_format_minds_the_ending() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    for (args, name, word) in [
        (&["list"][..], "a.JSON", "\"id\": \"monotonic\""),
        (&["list"], "a.log", "monotonic"),
        (&["list", "--format", "csv"], "a.yaml", "monotonic,"),
        (&["explain"], "a.yaml", "CS001"),
        (&["completions", "bash"], "a.bash", "clockscope"),
        (&["man"], "clockscope.1", ".TH clockscope 1"),
    ] {
        assert_eq!(quiet(run(&[args, &["-o", &path(name)]].concat())), "");
        let text = std::fs::read_to_string(path(name)).expect("a result");
        assert!(text.contains(word), "{args:?} {name}: {text}");
    }
    for place in ["-", "/dev/stdout"] {
        assert!(well(run(&["list", "-o", place])).contains("monotonic"), "{place}");
    }
    assert_eq!(well(run(&["list", "-o", "/dev/null"])), "");
}

#[test]
fn codes_are_explained_by_their_number_in_any_case() {
    let upper = well(run(&["explain", "CS001"]));
    assert!(upper.contains("CS001"));
    for typed in ["cs001", "CS1", "1"] {
        assert_eq!(run(&["explain", typed]).1, upper, "{typed}");
    }
    assert!(well(run(&["explain"])).lines().all(|line| line.starts_with("CS")));
}

#[test]
fn completions_are_generated() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let out = well(run(&["completions", shell]));
        assert!(out.contains("clockscope") && out.contains("deltas"), "{shell}");
        assert!(!out.contains("guard-clocksource"), "{shell}");
    }
}

#[test]
fn a_full_disk_is_told_and_loses_nothing() {
    let survey = ["--time", "600ms", "--clock", "monotonic", "--format"];
    let [table, json, csv] = ["table", "json", "csv"].map(|format| [&survey[..], &[format]].concat());
    for (args, word) in [(&["explain"][..], "CS001"), (&table, "monotonic"), (&json, "monotonic"), (&csv, "monotonic")]
    {
        let (code, out, err) = run(&[args, &["--output", "/dev/full"]].concat());
        assert_eq!(code, Some(3), "{args:?}: {err}");
        assert!(err.contains("can't write /dev/full: no space left on device"), "{args:?}: {err}");
        assert!(out.contains(word), "{args:?}: {out}");
    }
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let program = clockscope(&["explain"]).stdout(full).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let (code, _, err) = crate::text(program.wait_with_output().unwrap());
    let told = "clockscope: can't write to standard output: no space left on device\n";
    assert_eq!((code, err.as_str()), (Some(3), told));
}

#[test]
fn a_standard_output_that_is_closed_is_told_before_anything_is_measured() {
    for args in ["", "explain", "--version", "timers --format csv", "monitor --every 1s"] {
        let (code, _, err) = done(Command::new("bash").args(["-c", &format!("{PROGRAM} {args} >&-")]));
        assert_eq!(code, Some(3), "{args}: {err}");
        assert!(
            err.contains("can't write to standard output: it is closed; open it, or take --output"),
            "{args}: {err}"
        );
    }
    let (code, _, err) = done(Command::new("bash").args(["-c", &format!("{PROGRAM} explain --output /dev/null >&-")]));
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let (code, _, err) = done(Command::new("bash").args(["-c", &format!("{PROGRAM} explain 1<>/dev/null")]));
    assert_eq!((code, err.as_str()), (Some(0), ""), "/dev/null that is wanted");
}

#[test]
fn a_closed_pipe_is_a_clean_end() {
    let measuring = ["", "--format csv", "--format json", "list", "deltas monotonic", "deltas monotonic --raw"];
    for (reader, lines, all) in
        [("true", 1, &["completions bash", "man", "explain", "--help"][..]), ("head -1", 2, &measuring)]
    {
        for args in all {
            let script = format!("{PROGRAM} --time 600ms {args} | {reader}; echo ${{PIPESTATUS[0]}}");
            let (_, out, err) = done(Command::new("bash").args(["-c", &script]));
            assert_eq!((out.lines().count(), out.lines().last()), (lines, Some("0")), "{args}: {out}{err}");
            assert!(if lines == 1 { err.is_empty() } else { !err.contains("panicked") }, "{args}: {err}");
        }
    }
}
