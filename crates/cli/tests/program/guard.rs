//! The process that restores the clocksource when the sweep itself can't.

use std::fs;
use std::path::PathBuf;

use crate::sweep::{Files, MANY};
use crate::{kill, pause, text};

#[test]
fn a_second_signal_ends_at_once_and_the_guard_restores() {
    let files = Files::new(MANY, "tsc");
    let mut child = files.start(&[]);
    files.await_tsc(false);
    // Two before it can look: it stops, so that both are pending when it goes on.
    let id = child.id().to_string();
    for name in ["-STOP", "-INT", "-TERM", "-CONT"] {
        kill(name, &id);
    }
    let status = child.wait().expect("it ends");
    assert!(matches!(status.code(), Some(130 | 143)), "{status}");
    files.await_tsc(true);
}

#[test]
fn the_guard_restores_after_sigkill_of_the_whole_group() {
    let files = Files::new(MANY, "tsc");
    let child = files.start(&["--format", "csv"]);
    files.await_tsc(false);
    kill("-KILL", &format!("-{}", child.id()));
    // Ends only when nobody has the pipe open any more.
    let (code, out, _) = text(child.wait_with_output().expect("it ends"));
    assert_eq!(code, None);
    assert!(out.lines().any(|line| line.starts_with("tsc,")), "what was measured is there: {out}");
    files.await_tsc(true);
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
    files.await_tsc(false);
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
        pause(5);
        assert_ne!(stat(guards[0]).expect("still there")[0], "Z", "the signals ended it");
    }
    assert!(child.wait().expect("it ends").success());
    assert!(stat(guards[0]).is_none(), "it was waited for");
    assert_eq!(files.current(), "tsc\n");
}
