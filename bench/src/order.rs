//! Whether readings go back where one happens before another.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What a spin lock guards: the last reading, and what came of comparing.
struct Guarded {
    locked: AtomicBool,
    last: AtomicU64,
    reads: AtomicU64,
    back: AtomicU64,
    worst: AtomicU64,
}

/// Two threads read under one spin lock.
fn pair(reads: u64, read: impl Fn() -> u64 + Sync) -> Guarded {
    let zero = || AtomicU64::new(0);
    let shared = Guarded { locked: AtomicBool::new(false), last: zero(), reads: zero(), back: zero(), worst: zero() };
    std::thread::scope(|scope| {
        for cpu in 0..2 {
            let (shared, read) = (&shared, &read);
            scope.spawn(move || {
                crate::pin::pin(cpu);
                while shared.reads.load(Ordering::Relaxed) < reads {
                    if shared.locked.swap(true, Ordering::Acquire) {
                        std::hint::spin_loop();
                        continue;
                    }
                    let now = read();
                    let last = shared.last.load(Ordering::Relaxed);
                    if now < last {
                        shared.back.fetch_add(1, Ordering::Relaxed);
                        shared.worst.fetch_max(last - now, Ordering::Relaxed);
                    }
                    shared.last.store(now, Ordering::Relaxed);
                    shared.reads.store(shared.reads.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
                    shared.locked.store(false, Ordering::Release);
                }
            });
        }
    });
    shared
}

pub(crate) fn locked(reads: u64) {
    let (quanta, minstant, fastant) = (quanta::Instant::now(), minstant::Instant::now(), fastant::Instant::now());
    println!("Two threads under one spin lock, {reads} readings each method:\n");
    println!("| method | less than the one before | by at most |\n|---|---|---|");
    let show = |name: &str, unit: &str, found: &Guarded| {
        let [back, worst] = [&found.back, &found.worst].map(|w| w.load(Ordering::Relaxed));
        println!("| {name} | {back} | {worst} {unit} |");
    };
    let std = std::time::Instant::now();
    show("rdtsc", "ticks", &pair(reads, truetick::counter::rdtsc));
    show("truetick now", "ns", &pair(reads * 5, truetick::Clock::now_ns));
    show("truetick now_relaxed", "ns", &pair(reads, truetick::Clock::now_relaxed_ns));
    show("std now", "ns", &pair(reads, || std.elapsed().as_nanos() as u64));
    show("quanta now", "ns", &pair(reads, || (quanta::Instant::now() - quanta).as_nanos() as u64));
    show("minstant now", "ns", &pair(reads, || (minstant::Instant::now() - minstant).as_nanos() as u64));
    show("fastant now", "ns", &pair(reads, || (fastant::Instant::now() - fastant).as_nanos() as u64));
    if crate::tscns::loaded() {
        show("tscns now", "ns", &pair(reads, crate::tscns::now));
    }
    println!("\n(truetick now: {} readings.)\n", reads * 5);
}

/// All CPUs read, each against the greatest value that any had read before.
pub(crate) fn soak(reads: u64, cpus: usize) {
    let [done, back] = [AtomicU64::new(0), AtomicU64::new(0)];
    let latest = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for cpu in 0..cpus {
            let (done, back, latest) = (&done, &back, &latest);
            scope.spawn(move || {
                crate::pin::pin(cpu);
                while done.load(Ordering::Relaxed) < reads {
                    let mut went_back = 0;
                    for _ in 0..1000 {
                        let before = latest.load(Ordering::Acquire);
                        let now = truetick::Clock::now_ns();
                        went_back += u64::from(now < before);
                        latest.store(now.max(before), Ordering::Release);
                    }
                    back.fetch_add(went_back, Ordering::Relaxed);
                    done.fetch_add(1000, Ordering::Relaxed);
                }
            });
        }
    });
    let period = std::env::var("TRUETICK_REFIT_US").unwrap_or_else(|_| "2000 (as shipped)".into());
    println!(
        "Soak: {} readings on {cpus} CPUs, lines of {period} us, {} went back.",
        done.load(Ordering::Relaxed),
        back.load(Ordering::Relaxed)
    );
}
