//! The sweep on a folder of plain files that stand for the kernel's, so that this machine's clocksource stays as it is.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use clockscope_analysis::record::Sweep;
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_clockscope");

/// How often something is looked for before it counts as missing, 10 ms apart: far longer than a busy machine takes.
const LOOKS: usize = 6000;

/// Stands for the kernel: what is written is what is read.
struct Files(TempDir);

impl Files {
    fn new(available: &str, current: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("available_clocksource"), available).expect("a file");
        fs::write(folder.path().join("current_clocksource"), current).expect("a file");
        Self(folder)
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("current_clocksource")
    }

    fn current(&self) -> String {
        fs::read_to_string(self.file()).expect("a file")
    }

    /// Waits until a line is there that `is` is true of.
    fn await_current(&self, is: impl Fn(&str) -> bool) {
        let there = (0..LOOKS).any(|_| {
            sleep(Duration::from_millis(10));
            self.current().strip_suffix('\n').is_some_and(&is)
        });
        assert!(there, "never came: {:?} is there", self.current());
    }

    fn await_changed(&self) {
        self.await_current(|name| name != "tsc");
    }

    fn await_restored(&self) {
        self.await_current(|name| name == "tsc");
    }

    /// A short sweep with `args`.
    fn command(&self, args: &[&str]) -> Command {
        command(PROGRAM, self.0.path(), args)
    }

    fn run(&self, args: &[&str]) -> (Option<i32>, String, String) {
        text(&self.command(args).output().expect("the program starts"))
    }

    /// A sweep whose surveys take half a second each, its output piped.
    fn start(&self, args: &[&str]) -> Child {
        let mut inner = self.command(&["--change-clocksource", "--time", "500ms", "--no-progress"]);
        inner.args(args);
        // What ignores SIGHUP, as under nohup, goes on ignoring it; these tests may be run so themselves.
        let mut command = under("env", &["--default-signal=HUP"], &inner);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        command.spawn().expect("the program starts")
    }
}

fn command(program: impl AsRef<std::ffi::OsStr>, folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.arg("sweep").env("CLOCKSCOPE_CLOCKSOURCE_DIR", folder);
    if !args.contains(&"--time") {
        command.args(["--time", "100ms"]);
    }
    if !args.contains(&"--clock") {
        command.args(["--clock", "monotonic,realtime"]);
    }
    command.args(args).env_remove("COLUMNS").stdin(Stdio::null());
    command
}

/// The same command, run by another program.
fn under(program: &str, args: &[&str], inner: &Command) -> Command {
    let mut outer = Command::new(program);
    outer.args(args).arg(inner.get_program()).args(inner.get_args()).current_dir("/").stdin(Stdio::null());
    outer.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    outer
}

fn text(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Sends a signal to a process, or to a group where `to` begins with a minus.
fn kill(name: &str, to: &str) {
    assert!(Command::new("kill").args([name, "--", to]).status().expect("kill runs").success());
}

/// So many that a sweep of them goes on for far longer than a test needs to reach into it.
const MANY: &str = "tsc hpet acpi_pm a b c d e f g h i j k l m n o p";

const ALL: [&str; 3] = ["--change-clocksource", "--format", "json"];

#[test]
fn each_clocksource_is_surveyed_and_the_old_one_is_back() {
    let files = Files::new("hpet tsc acpi_pm \n", "tsc\n");
    let (code, out, err) = files.run(&ALL);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let value: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let schema = serde_json::from_str(include_str!("../../../docs/sweep.schema.json")).expect("JSON");
    assert!(jsonschema::validator_for(&schema).expect("a schema").is_valid(&value));
    let sweep: Sweep = serde_json::from_value(value).expect("a sweep");
    let names: Vec<&str> = sweep.sources.iter().map(|source| source.clocksource.as_str()).collect();
    assert_eq!(names, ["tsc", "hpet", "acpi_pm"]);
    for source in &sweep.sources {
        assert_eq!(source.record.as_ref().expect("a survey").clocks.len(), 2);
    }
    assert_eq!((sweep.before.as_str(), sweep.after.as_deref()), ("tsc", Some("tsc")));
    assert_eq!(files.current(), "tsc\n");
}

#[test]
fn where_nothing_would_be_changed_no_flag_is_needed() {
    let files = Files::new("tsc", "tsc");
    let (code, out, err) = files.run(&["--time", "200ms", "--clock", "monotonic@syscall"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("tsc") && out.contains("monotonic@syscall"), "{out}");
    assert_eq!(files.current(), "tsc");
}

#[test]
fn without_the_flag_it_says_what_it_would_do() {
    let files = Files::new("tsc hpet acpi_pm", "tsc");
    let (code, out, err) = files.run(&[]);
    assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
    let file = files.file();
    for word in [
        "--change-clocksource",
        "1. survey under tsc, the current clocksource, for about 100 ms",
        &format!("2. write 'hpet' to {} and survey under it", file.display()),
        "3. write 'acpi_pm'",
        "4. write 'tsc' there again",
        "in about 300 ms",
        "Nothing was changed.",
    ] {
        assert!(err.contains(word), "'{word}' is missing: {err}");
    }
    assert_eq!(files.current(), "tsc", "not even the same was written");
}

#[test]
fn tables_markdown_and_rows() {
    let files = Files::new("tsc acpi_pm", "tsc");
    let (code, out, _) = files.run(&["--change-clocksource"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("\nacpi_pm      ACPI PM timer  279.365"), "{out}");
    assert!(out.contains("The clocksource before: tsc; after: tsc."), "{out}");
    let (_, out, _) = files.run(&["--change-clocksource", "--format", "markdown"]);
    assert!(out.contains("| Clocksource | Timer | Tick ns | Clock |"), "{out}");
    let (_, out, _) = files.run(&["--change-clocksource", "--format", "csv"]);
    let sources: Vec<&str> = out.lines().filter_map(|line| line.split(',').next()).collect();
    assert_eq!(sources, ["clocksource", "tsc", "tsc", "acpi_pm", "acpi_pm"]);
}

#[test]
fn a_single_clocksource_needs_no_right_to_change_it() {
    let files = Files::new("tsc", "tsc");
    fs::set_permissions(files.file(), fs::Permissions::from_mode(0o444)).expect("a mode");
    let (code, out, err) = files.run(&ALL);
    assert_eq!(code, Some(0), "{err}");
    let sweep: Sweep = serde_json::from_str(&out).expect("a sweep");
    assert_eq!((sweep.sources.len(), sweep.notes.len()), (1, 0));
    assert_eq!(files.current(), "tsc");
}

#[test]
fn what_is_not_there_or_makes_no_sense_exits_3() {
    let files = Files::new("tsc hpet", "tsc");
    let (code, _, err) = text(&command(PROGRAM, Path::new("/no/such"), &ALL).output().expect("it starts"));
    assert_eq!(code, Some(3), "{err}");
    assert!(err.contains("/no/such/available_clocksource") && err.contains("/sys mounted"), "{err}");
    fs::write(files.file(), "jiffies\n").expect("written");
    let (code, _, err) = files.run(&ALL);
    assert_eq!(code, Some(3), "{err}");
    assert!(err.contains("could not be chosen again"), "{err}");
    assert_eq!(files.current(), "jiffies\n");
    fs::write(files.file(), "").expect("written");
    let (code, _, err) = files.run(&ALL);
    assert_eq!(code, Some(3), "{err}");
    assert!(err.contains("current_clocksource is empty"), "{err}");
}

/// As nobody, when the tests run as root; anyone else has no such right anyway.
#[test]
fn without_permission_it_exits_3_with_the_way_out() {
    let files = Files::new("tsc hpet", "tsc");
    fs::set_permissions(files.0.path(), fs::Permissions::from_mode(0o755)).expect("a mode");
    fs::set_permissions(files.file(), fs::Permissions::from_mode(0o444)).expect("a mode");
    let is_root = Command::new("id").arg("-u").output().expect("id runs").stdout == b"0\n";
    let run = |args: &[&str]| {
        if !is_root {
            return files.run(args);
        }
        // The build folder may lie where nobody may not look: run a copy.
        let copy = files.0.path().join("program");
        if !copy.exists() {
            // By another process: a descriptor open for writing here could be inherited by what another test starts,
            // and the copy would count as busy.
            let copied = Command::new("cp").arg(PROGRAM).arg(&copy).status();
            assert!(copied.expect("cp runs").success());
        }
        let inner = command(copy, files.0.path(), args);
        let drop = ["--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--no-new-privs"];
        text(&under("setpriv", &drop, &inner).output().expect("setpriv runs"))
    };
    let (code, out, err) = run(&ALL);
    assert_eq!((code, out.as_str()), (Some(3), ""), "{err}");
    assert!(err.contains("permission denied") && err.contains("run it as root"), "{err}");
    let (code, _, err) = run(&[]);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("This process may not write that file (permission denied): run it as root."), "{err}");
}

/// Files that may not grow beyond 5 bytes: `tsc` can be written, `kvm-clock` can't.
#[test]
fn a_source_that_can_not_be_chosen_is_told_and_the_others_are_measured() {
    let files = Files::new("tsc kvm-clock hpet", "tsc");
    let inner = files.command(&ALL);
    let (code, out, err) = text(&under("prlimit", &["--fsize=5"], &inner).output().expect("prlimit runs"));
    assert_eq!(code, Some(0), "{err}");
    let sweep: Sweep = serde_json::from_str(&out).expect("a sweep");
    let measured: Vec<bool> = sweep.sources.iter().map(|source| source.record.is_some()).collect();
    assert_eq!(measured, [true, false, true]);
    assert!(sweep.notes[0].starts_with("kvm-clock was not measured: can't write 'kvm-clock'"), "{:?}", sweep.notes);
    assert_eq!(files.current(), "tsc\n");
}

/// As above, but it is the old one that can't be written any more.
#[test]
fn a_source_that_does_not_come_back_exits_3_after_the_results() {
    let files = Files::new("kvm-clock tsc", "kvm-clock");
    for format in ["table", "csv"] {
        fs::write(files.file(), "kvm-clock").expect("written");
        let inner = files.command(&["--change-clocksource", "--format", format]);
        let (code, out, err) = text(&under("prlimit", &["--fsize=5"], &inner).output().expect("prlimit runs"));
        assert_eq!(code, Some(3), "{err}");
        assert!(err.starts_with("clockscope: the clocksource could not be set back to kvm-clock: "), "{err}");
        assert_eq!(err.lines().count(), 1, "{err}");
        assert!(out.contains("\ntsc"), "{out}");
    }
}

#[test]
fn an_unknown_clock_is_told_before_anything_is_changed() {
    let files = Files::new("tsc hpet", "tsc");
    let (code, _, err) = files.run(&["--change-clocksource", "--clock", "monotonc"]);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("did you mean monotonic"), "{err}");
    assert_eq!(files.current(), "tsc");
}

#[test]
fn a_signal_restores_and_prints_what_there_is() {
    for (name, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let files = Files::new(MANY, "tsc");
        let child = files.start(&[]);
        files.await_changed();
        // To the whole group, as a terminal does it.
        kill(name, &format!("-{}", child.id()));
        let (ended, out, err) = text(&child.wait_with_output().expect("it ends"));
        assert_eq!(ended, Some(code), "{err}");
        assert!(out.contains("\ntsc ") && out.contains("\nacpi_pm ") && out.contains("Interrupted:"), "{out}");
        assert_eq!(files.current(), "tsc\n");
    }
}

#[test]
fn a_second_signal_ends_at_once_and_the_guard_restores() {
    let files = Files::new(MANY, "tsc");
    let mut child = files.start(&[]);
    files.await_changed();
    // Two before it can look: it stops, so that both are pending when it goes on.
    let id = child.id().to_string();
    for name in ["-STOP", "-INT", "-TERM", "-CONT"] {
        kill(name, &id);
    }
    let status = child.wait().expect("it ends");
    assert!(matches!(status.code(), Some(130 | 143)), "{status}");
    files.await_restored();
}

#[test]
fn the_guard_restores_after_sigkill_of_the_whole_group() {
    let files = Files::new(MANY, "tsc");
    let child = files.start(&["--format", "csv"]);
    files.await_changed();
    kill("-KILL", &format!("-{}", child.id()));
    // Ends only when nobody has the pipe open any more.
    let (code, out, _) = text(&child.wait_with_output().expect("it ends"));
    assert_eq!(code, None);
    assert!(out.lines().any(|line| line.starts_with("tsc,")), "what was measured is there: {out}");
    files.await_restored();
}

/// Ids of the processes whose parent is `parent`.
fn children(parent: u32) -> Vec<u32> {
    let ids = fs::read_dir("/proc").expect("/proc").filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    ids.filter(|id: &u32| stat(*id).is_some_and(|stat| stat[1] == parent.to_string())).collect()
}

/// What /proc/ID/stat has after the name: state, parent, group, session ….
fn stat(id: u32) -> Option<Vec<String>> {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    Some(text.rsplit_once(") ")?.1.split(' ').map(str::to_owned).collect())
}

#[test]
fn the_guard_stands_apart_and_leaves_with_the_sweep() {
    let files = Files::new("tsc hpet acpi_pm a b", "tsc");
    let mut child = files.start(&[]);
    files.await_changed();
    let guards = children(child.id());
    assert_eq!(guards.len(), 1, "one guard");
    let links = |id: u32, fd: u32| fs::read_link(format!("/proc/{id}/fd/{fd}")).expect("an open file");
    let ours: Vec<PathBuf> = (1..=2).map(|fd| links(child.id(), fd)).collect();
    for entry in fs::read_dir(format!("/proc/{}/fd", guards[0])).expect("/proc") {
        let held = fs::read_link(entry.expect("an entry").path()).expect("a link");
        assert!(!ours.contains(&held), "the guard holds {}", held.display());
    }
    let (us, guard) = (stat(child.id()).expect("alive"), stat(guards[0]).expect("alive"));
    let id = guards[0].to_string();
    assert_eq!((&guard[2], &guard[3]), (&id, &id), "a group and a session of its own");
    assert_ne!(us[3], guard[3]);
    // What a service manager sends to all of them must not end it before its turn.
    for name in ["-TERM", "-INT", "-HUP"] {
        kill(name, &id);
    }
    for _ in 0..20 {
        sleep(Duration::from_millis(5));
        assert_ne!(stat(guards[0]).expect("still there")[0], "Z", "the signals ended it");
    }
    assert!(child.wait().expect("it ends").success());
    assert!(stat(guards[0]).is_none(), "it was waited for");
    assert_eq!(files.current(), "tsc\n");
}

#[test]
fn two_sweeps_at_once_are_refused() {
    let files = Files::new("tsc hpet acpi_pm a b", "tsc");
    let mut first = files.start(&[]);
    files.await_changed();
    let (code, _, err) = files.run(&ALL);
    assert_eq!(code, Some(3), "{err}");
    assert!(err.contains("another sweep is under way"), "{err}");
    assert!(first.wait().expect("it ends").success());
    assert_eq!(files.run(&ALL).0, Some(0), "the lock is gone with it");
}

#[test]
fn a_reader_that_leaves_early_ends_it_cleanly() {
    let files = Files::new("tsc hpet acpi_pm", "tsc");
    for format in ["csv", "table"] {
        let folder = files.0.path().display();
        let script = format!(
            "CLOCKSCOPE_CLOCKSOURCE_DIR={folder} {PROGRAM} sweep --change-clocksource --time 100ms \
             --clock monotonic --format {format} | head -1; echo ${{PIPESTATUS[0]}}"
        );
        let (_, out, err) = text(&Command::new("bash").args(["-c", &script]).output().expect("bash runs"));
        assert_eq!((out.lines().count(), out.lines().last()), (2, Some("0")), "{out}{err}");
        assert_eq!(files.current().trim_end(), "tsc");
    }
}
