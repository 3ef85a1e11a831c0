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
    ] {
        let out = quiet(run(args));
        for word in words {
            assert!(out.contains(word), "{word} is missing from {args:?}");
        }
    }
    assert_eq!(run(&["--version"]).1, format!("clockscope {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn wrong_usage_exits_2_with_what_would_be_right() {
    let first = first_cpu();
    let unknown = "'monotonc'; did you mean monotonic";
    let [outside, one] = if has_two() { ["CPU 60000 is not among", "two or more of"] } else { [""; 2] };
    for (args, hint) in [
        (&["--format", "jsno"][..], "'json'"),
        (&["--color", "alwys"], "'always'"),
        (&["lst"], "'list'"),
        (&["--clok", "tsc"], "'--clock'"),
        (&["man", "delta"], "did you mean deltas"),
        (&["explain", "CS01"], "did you mean CS0"),
        (&["explain", "CS999"], "no finding has the code 'CS999'"),
        (&["--time", "3 parsecs"], "'parsecs' is not a unit of time"),
        (&["--time", "0"], "more than zero"),
        (&["--reads", "1"], "1 is not in 2.."),
        (&["--cpu", "one"], "--cpu <N>"),
        (&["--cpu", "9999"], "CPU 9999"),
        (&["deltas"], "<CLOCK>"),
        (&["deltas", "tsc", "--clock", "tsc"], "leave out --clock"),
        (&["deltas", "tsc", "--raw", "--format", "json"], "cannot be used with"),
        (&["--output", "/no/such/place/x.json"], "can't create /no/such/place/x.json"),
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
    ] {
        if !hint.is_empty() {
            refused(run(args), 2, &[hint]);
        }
    }
}

#[test]
fn codes_are_explained_in_any_case() {
    let upper = well(run(&["explain", "CS001"]));
    assert!(upper.contains("CS001"));
    assert_eq!(run(&["explain", "cs001"]).1, upper);
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
