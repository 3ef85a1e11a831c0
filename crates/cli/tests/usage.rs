//! The program as a user meets it without measuring: help, wrong usage, exit codes, generated files.

use assert_cmd::Command;

fn clockscope(args: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("clockscope").unwrap().args(args).env_remove("COLUMNS").output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

#[test]
fn help_shows_the_commands_and_examples() {
    for flag in ["--help", "-h"] {
        let (code, out, err) = clockscope(&[flag]);
        assert_eq!((code, err.as_str()), (0, ""));
        for word in ["deltas", "doctor", "explain", "--clock <ID>", "Examples:", "Exit codes: 0 done"] {
            assert!(out.contains(word), "{word} is missing from {flag}");
        }
    }
    let (code, out, _) = clockscope(&["deltas", "--help"]);
    assert_eq!(code, 0);
    assert!(out.contains("label value") && out.contains("pandas.read_csv"));
}

#[test]
fn the_version() {
    let (code, out, _) = clockscope(&["--version"]);
    assert_eq!((code, out), (0, format!("clockscope {}\n", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn wrong_usage_exits_2_with_the_nearest_name() {
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
        (&["deltas"], "<CLOCK>"),
        (&["deltas", "tsc", "--clock", "tsc"], "leave out --clock"),
        (&["deltas", "tsc", "--raw", "--format", "json"], "cannot be used with"),
        (&["--output", "/no/such/place/x.json"], "can't create /no/such/place/x.json"),
        (&["completions", "bsh"], "'bash'"),
    ] {
        let (code, out, err) = clockscope(args);
        assert_eq!(code, 2, "{args:?}: {err}");
        assert!(err.contains(hint), "{args:?}: {err}");
        assert_eq!(out, "", "{args:?}");
    }
}

#[test]
fn codes_are_explained_in_any_case() {
    let (code, upper, _) = clockscope(&["explain", "CS001"]);
    assert_eq!(code, 0);
    assert!(upper.contains("CS001"));
    assert_eq!(clockscope(&["explain", "cs001"]).1, upper);
    let (code, all, _) = clockscope(&["explain"]);
    assert_eq!(code, 0);
    assert!(all.lines().all(|line| line.starts_with("CS")));
}

#[test]
fn completions_and_manual_are_generated() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (code, out, _) = clockscope(&["completions", shell]);
        assert_eq!(code, 0);
        assert!(out.contains("clockscope") && out.contains("deltas"), "{shell}");
        assert!(!out.contains("guard-clocksource"), "{shell}");
    }
    let (code, page, _) = clockscope(&["man"]);
    assert_eq!(code, 0);
    assert!(page.contains(".TH clockscope 1") && page.contains("Examples"));
    let (code, page, _) = clockscope(&["man", "deltas"]);
    assert_eq!(code, 0);
    assert!(page.contains("all\\-rows"));
}

#[test]
fn a_full_disk_is_told_and_the_result_is_not_lost() {
    let (code, out, err) = clockscope(&["explain", "--output", "/dev/full"]);
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("can't write /dev/full: no space left on device"), "{err}");
    assert!(out.starts_with("CS001"));
}

#[test]
fn a_full_standard_output_is_told() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let program = std::process::Command::new(env!("CARGO_BIN_EXE_clockscope"))
        .arg("explain")
        .stdout(full)
        .stderr(std::process::Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(program.status.code(), Some(3));
    let err = String::from_utf8(program.stderr).unwrap();
    assert_eq!(err, "clockscope: can't write to standard output: no space left on device\n");
}

#[test]
fn a_closed_pipe_is_a_clean_end() {
    for args in ["completions bash", "man", "explain", "--help"] {
        let script = format!("{} {args} | true; echo ${{PIPESTATUS[0]}}", env!("CARGO_BIN_EXE_clockscope"));
        let output = Command::new("bash").args(["-c", &script]).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "0\n", "{args}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{args}");
    }
}
