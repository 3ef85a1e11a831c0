//! Signal handlers that interrupt a refit, and forks in the middle of one. Lines of 20 µs, so that a good part of
//! all readings is refits.
#![cfg(all(unix, not(any(loom, miri))))]

mod again;

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::Duration,
};

use truetick::Clock;

/// The greatest value that the interrupted thread has read; what the handler reads is at least that.
static READ: AtomicU64 = AtomicU64::new(0);
static HANDLED: AtomicU64 = AtomicU64::new(0);
static BACK: AtomicU64 = AtomicU64::new(0);

extern "C" fn handler(_: libc::c_int) {
    let before = READ.load(Ordering::Relaxed);
    let now = Clock::now_ns();
    BACK.fetch_add(u64::from(now < before), Ordering::Relaxed);
    // What the interrupted thread reads next is at least that.
    READ.fetch_max(now, Ordering::Relaxed);
    HANDLED.fetch_add(1, Ordering::Relaxed);
}

/// Reads `n` times; how often it went back.
fn read(n: u64) -> u64 {
    let mut back = 0;
    for _ in 0..n {
        let before = READ.load(Ordering::Relaxed);
        let now = Clock::now_ns();
        back += u64::from(now < before);
        READ.fetch_max(now, Ordering::Relaxed);
    }
    back
}

#[test]
fn signals_and_forks_do_no_harm() {
    if again::with("signals_and_forks_do_no_harm", "TRUETICK_REFIT_US", "20") {
        return;
    }
    let source = Clock::source();
    signals();
    forks();
    // Else what was read was the system's clock, and the test has shown nothing.
    assert_eq!(Clock::source(), source, "{}", Clock::explain());
}

fn signals() {
    let handler = handler as extern "C" fn(libc::c_int);
    // SAFETY: the handler only reads the clock and touches atomics.
    unsafe { libc::signal(libc::SIGUSR1, handler as libc::sighandler_t) };
    // SAFETY: no preconditions.
    let this = unsafe { libc::pthread_self() };
    let stop = AtomicBool::new(false);
    let back = thread::scope(|scope| {
        let pester = scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                // SAFETY: the thread outlives this scope.
                unsafe { libc::pthread_kill(this, libc::SIGUSR1) };
                thread::yield_now();
            }
        });
        // On a loaded machine, or on one CPU, signals are few: the bound is a generous one on time.
        let (mut back, begun) = (0, std::time::Instant::now());
        for round in 0.. {
            back += read(5_000);
            let enough = round >= 200 && HANDLED.load(Ordering::Relaxed) > 100;
            if enough || begun.elapsed() > Duration::from_secs(30) {
                break;
            }
        }
        stop.store(true, Ordering::Relaxed);
        pester.join().expect("it does not panic");
        back
    });
    let handled = HANDLED.load(Ordering::Relaxed);
    assert!(handled > 100, "only {handled} signals came");
    assert_eq!((back, BACK.load(Ordering::Relaxed)), (0, 0), "{handled} signals");
}

fn forks() {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                read(100);
            }
        });
        for _ in 0..100 {
            read(200);
            // SAFETY: the child calls nothing but the clock and _exit.
            let child = unsafe { libc::fork() };
            assert!(child >= 0, "fork failed");
            if child == 0 {
                let back = read(5_000);
                // SAFETY: ends the child on the spot.
                unsafe { libc::_exit(i32::from(back != 0)) };
            }
            let mut status = -1;
            // SAFETY: waits for the child just made.
            let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
            assert_eq!((waited, status), (child, 0), "a child's clock went back");
        }
        stop.store(true, Ordering::Relaxed);
        reader.join().expect("it does not panic");
    });
}
