//! All CPUs read at once, with lines of a millisecond: no reading is less than one that happened before.
//! `TRUETICK_SOAK_S=60` for longer; 2 s otherwise.
#![cfg(not(any(loom, miri)))]

mod again;

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::Duration,
};

use truetick::{Clock, Instant};

#[test]
fn no_reading_on_any_cpu_is_less_than_one_that_happened_before() {
    if again::with("no_reading_on_any_cpu_is_less_than_one_that_happened_before", "TRUETICK_REFIT_US", "1000") {
        return;
    }
    let source = Clock::source();
    let seconds = std::env::var("TRUETICK_SOAK_S").ok().and_then(|s| s.parse().ok()).unwrap_or(2);
    let threads = thread::available_parallelism().map_or(2, usize::from).max(2);
    let (latest, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let (mut reads, mut back, mut worst) = (0u64, 0u64, 0);
    thread::scope(|scope| {
        let handles: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let (mut reads, mut back, mut worst, mut relaxed) = (0u64, 0u64, 0, Instant::now_relaxed());
                    while !stop.load(Ordering::Relaxed) {
                        let before = latest.load(Ordering::Acquire);
                        let now = Clock::now_ns();
                        back += u64::from(now < before);
                        worst = worst.max(before.saturating_sub(now));
                        latest.fetch_max(now, Ordering::AcqRel);
                        for _ in 0..20 {
                            let now = Instant::now_relaxed();
                            back += u64::from(now < relaxed);
                            relaxed = now;
                        }
                        reads += 21;
                    }
                    (reads, back, worst)
                })
            })
            .collect();
        thread::sleep(Duration::from_secs(seconds));
        stop.store(true, Ordering::Relaxed);
        for handle in handles {
            let (r, b, w) = handle.join().expect("readers don't panic");
            (reads, back, worst) = (reads + r, back + b, worst.max(w));
        }
    });
    // Else what was read was the system's clock, and the test has shown nothing.
    assert_eq!(Clock::source(), source, "{}", Clock::explain());
    println!("{reads} readings on {threads} threads, {back} went back, by {worst} ns at most");
    assert_eq!((back, worst), (0, 0), "of {reads} readings");
}
