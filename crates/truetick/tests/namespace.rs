//! A child in another time namespace, whose CLOCK_MONOTONIC is 3 s behind: its clock never goes back, does not stand
//! still, and says what was added. Where the system lets nobody make such a namespace, nothing is tested.
#![cfg(all(target_os = "linux", not(any(loom, miri))))]

mod again;

use std::{fs, time::Duration};

use truetick::{Clock, Instant};

const BACK: Duration = Duration::from_secs(3);

/// Reads for 50 ms of MONOTONIC_RAW. Whether all was as it should be; says what was not.
fn child(before: Instant) -> bool {
    let raw = || {
        let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: writes one timespec to the address given.
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_RAW, &raw mut t) };
        Duration::new(t.tv_sec as u64, t.tv_nsec as u32)
    };
    // What passed since the last reading is lost where there is no counter; from the first one here on nothing is.
    let first = Instant::now();
    let (begun, mut last, mut back, mut ran) = (raw(), first, u32::from(first < before), Duration::ZERO);
    while ran < Duration::from_millis(50) {
        ran = raw().saturating_sub(begun);
        let now = Instant::now();
        back += u32::from(now < last);
        last = now;
    }
    let (gone, known) = (last - first, Clock::reading().uncertainty_ns.is_some());
    let added = Clock::set_back();
    println!("{gone:?} in {ran:?}, {back} back, {added:?} added");
    // At half the rate at least, where it has to wait for the system's.
    let went_on = gone >= ran / 3 && gone < ran + Duration::from_secs(2);
    let all = back == 0 && went_on && known && added > BACK / 2 && added < BACK * 2;
    all && Clock::epoch().discontinuities > 0
}

/// In a child: unshares, forks, and looks at what the child's clock does. The exit code: 0 good, 1 bad, 2 not allowed.
fn parent() -> i32 {
    // The clock is in use before: a first reading in the namespace would know no other.
    let begun = std::time::Instant::now();
    while begun.elapsed() < Duration::from_millis(20) {
        Instant::now();
    }
    // Of a process, so it is for a process of one thread to do.
    // SAFETY: children of this process will be in another time namespace.
    let unshared = unsafe { libc::unshare(libc::CLONE_NEWTIME) } == 0;
    let offset = format!("monotonic -{} 0\n", BACK.as_secs());
    if !unshared || fs::write("/proc/self/timens_offsets", offset).is_err() {
        println!("no time namespace is to be had: {}", std::io::Error::last_os_error());
        return 2;
    }
    let before = Instant::now();
    forked(|| i32::from(!child(before)))
}

/// What `work` gives in a child of its own.
fn forked(work: impl FnOnce() -> i32) -> i32 {
    // SAFETY: the child does its work, in which no other thread has a part, and ends on the spot.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0, "fork failed");
    if pid == 0 {
        let code = work();
        // SAFETY: ends the child.
        unsafe { libc::_exit(code) };
    }
    let mut status = -1;
    // SAFETY: waits for the child just made.
    let waited = unsafe { libc::waitpid(pid, &raw mut status, 0) };
    assert!(waited == pid && libc::WIFEXITED(status), "a child ended with status {status}");
    libc::WEXITSTATUS(status)
}

fn in_a_namespace(test: &str, source: &str) {
    if !again::with(test, "TRUETICK_SOURCE", source) {
        assert!([0, 2].contains(&forked(parent)), "the child's clock");
    }
}

#[test]
fn goes_on_in_a_namespace_whose_clock_is_behind() {
    in_a_namespace("goes_on_in_a_namespace_whose_clock_is_behind", "counter");
}

#[test]
fn goes_on_in_a_namespace_by_the_systems_clock() {
    in_a_namespace("goes_on_in_a_namespace_by_the_systems_clock", "os");
}
