//! The sweep on a folder of plain files that stand for the kernel's, so that this machine's clocksource stays as it is.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use clockscope_analysis::record::Sweep;
use tempfile::TempDir;

use crate::{
    Ended, PROGRAM, clockscope, done, kill, obeying, pause, quiet, refused, start, text, under, unprivileged, well,
};

/// How often something is looked for before it counts as missing, 10 ms apart: far longer than a busy machine takes.
const LOOKS: usize = 6000;

/// Stands for the kernel: what is written is what is read.
pub(crate) struct Files(TempDir);

impl Files {
    pub(crate) fn new(available: &str, current: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("available_clocksource"), available).expect("a file");
        fs::write(folder.path().join("current_clocksource"), current).expect("a file");
        Self(folder)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("current_clocksource")
    }

    pub(crate) fn current(&self) -> String {
        fs::read_to_string(self.file()).expect("a file")
    }

    /// Waits until the clocksource is `tsc` again, or is it no longer.
    pub(crate) fn await_tsc(&self, restored: bool) {
        let there = (0..LOOKS).any(|_| {
            pause(10);
            self.current().strip_suffix('\n').is_some_and(|name| (name == "tsc") == restored)
        });
        assert!(there, "never came: {:?} is there", self.current());
    }

    /// A short sweep with `args`.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = clockscope(&["sweep"]);
        command.args(args).env("CLOCKSCOPE_CLOCKSOURCE_DIR", self.0.path());
        if !args.contains(&"--time") {
            command.args(["--time", "100ms"]);
        }
        if !args.contains(&"--clock") {
            command.args(["--clock", "monotonic,realtime"]);
        }
        command
    }

    fn run(&self, args: &[&str]) -> Ended {
        done(&mut self.command(args))
    }

    /// A sweep whose surveys take half a second each, its output piped.
    pub(crate) fn start(&self, args: &[&str]) -> Child {
        let mut inner = self.command(&["--change-clocksource", "--time", "500ms", "--no-progress"]);
        inner.args(args);
        // What ignores SIGHUP, as under nohup, goes on ignoring it; these tests may be run so themselves.
        start(under("env", &["--default-signal=HUP"], &inner).process_group(0))
    }
}

/// Where files may not grow beyond 5 bytes: `tsc` can be written, `kvm-clock` can't.
fn cramped(inner: &Command) -> Ended {
    done(&mut under("prlimit", &["--fsize=5"], inner))
}

/// So many that a sweep of them goes on for far longer than a test needs to reach into it.
pub(crate) const MANY: &str = "tsc hpet acpi_pm a b c d e f g h i j k l m n o p";

const ALL: [&str; 3] = ["--change-clocksource", "--format", "json"];

#[test]
fn each_clocksource_is_surveyed_and_the_old_one_is_back() {
    let files = Files::new("hpet tsc acpi_pm \n", "tsc\n");
    let sweep: Sweep = obeying("sweep.schema.json", &quiet(files.run(&ALL)));
    let names: Vec<&str> = sweep.sources.iter().map(|source| source.clocksource.as_str()).collect();
    assert_eq!(names, ["tsc", "hpet", "acpi_pm"]);
    for source in &sweep.sources {
        assert_eq!(source.record.as_ref().expect("a survey").clocks.len(), 2);
    }
    assert_eq!((sweep.before.as_str(), sweep.after.as_deref()), ("tsc", Some("tsc")));
    assert_eq!(files.current(), "tsc\n");
}

#[test]
fn where_nothing_would_be_changed_no_flag_and_no_right_is_needed() {
    let files = Files::new("tsc", "tsc");
    fs::set_permissions(files.file(), fs::Permissions::from_mode(0o444)).expect("a mode");
    let out = well(files.run(&["--time", "200ms", "--clock", "monotonic@syscall"]));
    assert!(out.contains("tsc") && out.contains("monotonic@syscall"), "{out}");
    let sweep: Sweep = serde_json::from_str(&well(files.run(&ALL))).expect("a sweep");
    assert_eq!((sweep.sources.len(), sweep.notes.len()), (1, 0));
    assert_eq!(files.current(), "tsc");
}

#[test]
fn without_the_flag_it_says_what_it_would_do() {
    let files = Files::new("tsc hpet acpi_pm", "tsc");
    let words = [
        "--change-clocksource",
        "1. survey under tsc, the current clocksource, for about 100 ms",
        &format!("2. write 'hpet' to {} and survey under it", files.file().display()),
        "3. write 'acpi_pm'",
        "4. write 'tsc' there again",
        "in about 300 ms",
        "Nothing was changed.",
    ];
    refused(files.run(&[]), 2, &words);
    assert_eq!(files.current(), "tsc", "not even the same was written");
}

#[test]
fn tables_markdown_and_rows() {
    let files = Files::new("tsc acpi_pm", "tsc");
    let out = well(files.run(&["--change-clocksource"]));
    assert!(out.contains("\nacpi_pm      ACPI PM timer  279.365"), "{out}");
    assert!(out.contains("The clocksource before: tsc; after: tsc."), "{out}");
    let (_, out, _) = files.run(&["--change-clocksource", "--format", "markdown"]);
    assert!(out.contains("| Clocksource | Timer | Tick ns | Clock |"), "{out}");
    let (_, out, _) = files.run(&["--change-clocksource", "--format", "csv"]);
    let sources: Vec<&str> = out.lines().filter_map(|line| line.split(',').next()).collect();
    assert_eq!(sources, ["clocksource", "tsc", "tsc", "acpi_pm", "acpi_pm"]);
}

#[test]
fn what_is_not_there_or_makes_no_sense_exits_3() {
    let files = Files::new("tsc hpet", "tsc");
    let nowhere = Files::new("", "");
    let path = nowhere.file().with_file_name("available_clocksource");
    fs::remove_file(&path).expect("removed");
    refused(nowhere.run(&ALL), 3, &[&path.display().to_string(), "/sys mounted"]);
    for (current, why) in [("jiffies\n", "could not be chosen again"), ("", "current_clocksource is empty")] {
        fs::write(files.file(), current).expect("written");
        refused(files.run(&ALL), 3, &[why]);
        assert_eq!(files.current(), current);
    }
}

#[test]
fn without_permission_it_exits_3_with_the_way_out() {
    let files = Files::new("tsc hpet", "tsc");
    fs::set_permissions(files.file(), fs::Permissions::from_mode(0o444)).expect("a mode");
    let run = |args: &[&str]| done(&mut unprivileged(files.command(args), &files.0));
    refused(run(&ALL), 3, &["permission denied", "run it as root"]);
    refused(run(&[]), 2, &["This process may not write that file (permission denied): run it as root."]);
}

#[test]
fn a_source_that_can_not_be_chosen_is_told_and_the_others_are_measured() {
    let files = Files::new("tsc kvm-clock hpet", "tsc");
    let sweep: Sweep = serde_json::from_str(&well(cramped(&files.command(&ALL)))).expect("a sweep");
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
        let (code, out, err) = cramped(&files.command(&["--change-clocksource", "--format", format]));
        assert_eq!(code, Some(3), "{err}");
        assert!(err.starts_with("clockscope: the clocksource could not be set back to kvm-clock: "), "{err}");
        assert_eq!(err.lines().count(), 1, "{err}");
        assert!(out.contains("\ntsc"), "{out}");
    }
}

#[test]
fn an_unknown_clock_is_told_before_anything_is_changed() {
    let files = Files::new("tsc hpet", "tsc");
    refused(files.run(&["--change-clocksource", "--clock", "monotonc"]), 2, &["did you mean monotonic"]);
    assert_eq!(files.current(), "tsc");
}

#[test]
fn a_signal_restores_and_prints_what_there_is() {
    for (name, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let files = Files::new(MANY, "tsc");
        let child = files.start(&[]);
        files.await_tsc(false);
        // To the whole group, as a terminal does it.
        kill(name, &format!("-{}", child.id()));
        let (ended, out, err) = text(child.wait_with_output().expect("it ends"));
        assert_eq!(ended, Some(code), "{err}");
        assert!(out.contains("\ntsc ") && out.contains("\nacpi_pm ") && out.contains("Cut short:"), "{out}");
        assert_eq!(files.current(), "tsc\n");
    }
}

#[test]
fn two_sweeps_at_once_are_refused() {
    let files = Files::new("tsc hpet acpi_pm a b", "tsc");
    let mut first = files.start(&[]);
    files.await_tsc(false);
    refused(files.run(&ALL), 3, &["another sweep is under way"]);
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
        let (_, out, err) = done(Command::new("bash").args(["-c", &script]));
        assert_eq!((out.lines().count(), out.lines().last()), (2, Some("0")), "{out}{err}");
        assert_eq!(files.current().trim_end(), "tsc");
    }
}
