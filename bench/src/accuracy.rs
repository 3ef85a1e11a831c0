//! How far each clock is from CLOCK_MONOTONIC, and whether truetick says so.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant as Std},
};

use truetick::Clock;

/// CLOCK_MONOTONIC, ns.
pub(crate) fn kernel() -> u64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one timespec to the address given.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut t) };
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}

/// A reading between two of the kernel's.
pub(crate) struct Check {
    before: u64,
    after: u64,
    ns: f64,
}

impl Check {
    /// Of eight, the one with the narrowest bracket: an interruption must not count as the clock's error.
    pub(crate) fn of(mut read: impl FnMut() -> f64) -> Self {
        let once = || {
            let before = kernel();
            let ns = read();
            Self { before, after: kernel(), ns }
        };
        std::iter::repeat_with(once).take(8).min_by_key(|c| c.after - c.before).expect("eight")
    }

    /// How far outside of the bracket, ns: 0 where it is inside.
    pub(crate) fn beyond(&self) -> u64 {
        (self.before as f64 - self.ns).max(self.ns - self.after as f64).max(0.0) as u64
    }

    /// Against the middle of the bracket, ns.
    fn error(&self) -> f64 {
        self.ns - f64::midpoint(self.before as f64, self.after as f64)
    }
}

/// What truetick stated with a reading, ns, and whether the kernel's clock can have lain within it.
pub(crate) struct Stated {
    /// Whatever slew the kernel permits.
    pub(crate) any: (u64, bool),
    /// If it runs steadily.
    pub(crate) steady: (u64, bool),
}

/// A reading checked.
pub(crate) fn truetick() -> (Check, Stated) {
    let mut readings = Vec::new();
    let check = Check::of(|| {
        let reading = Clock::reading();
        readings.push(reading);
        reading.ns as f64
    });
    let reading = readings.iter().find(|r| r.ns as f64 == check.ns).unwrap_or(&readings[0]);
    let held = |u: Option<u64>| {
        let u = u.unwrap_or(u64::MAX);
        (u, reading.ns.saturating_add(u) >= check.before && reading.ns.saturating_sub(u) <= check.after)
    };
    let stated = Stated { any: held(reading.uncertainty_ns), steady: held(reading.uncertainty_if_steady_ns) };
    (check, stated)
}

/// One clock's errors.
struct Track {
    name: &'static str,
    errors: Vec<f64>,
}

/// Reads every clock every 100 ms, and truetick all the time in between, so that the checks fall on lines of any
/// age. Peers count from their first check: their start is not held against them.
pub(crate) fn table(what: &str, time: Duration) {
    let quanta = quanta::Instant::now();
    let minstant = minstant::Instant::now();
    let fastant = fastant::Instant::now();
    let mut tracks: Vec<Track> =
        ["truetick now", "truetick now_relaxed", "std now", "quanta", "minstant", "fastant", "tscns"]
            .map(|name| Track { name, errors: Vec::new() })
            .into();
    tracks.truncate(if crate::tscns::loaded() { 7 } else { 6 });
    let tscns = crate::tscns::now();
    let std = Std::now();
    let end = Std::now() + time;
    let (mut all, mut checks) = (Vec::new(), 0u32);
    let epoch = Clock::epoch();
    let mut next = truetick::Instant::now() + Duration::from_millis(100);
    while Std::now() < end {
        while truetick::Instant::now() < next {}
        next += Duration::from_millis(100) + Duration::from_nanos(u64::from(checks % 97) * 123_457);
        let (check, stated) = truetick();
        all.push(stated);
        checks += 1;
        let checks = [
            check,
            Check::of(|| truetick::Clock::now_relaxed_ns() as f64),
            Check::of(|| std.elapsed().as_nanos() as f64),
            Check::of(|| quanta.elapsed().as_nanos() as f64),
            Check::of(|| minstant.elapsed().as_nanos() as f64),
            Check::of(|| fastant.elapsed().as_nanos() as f64),
            Check::of(|| (crate::tscns::now() - tscns) as f64),
        ];
        for (track, check) in tracks.iter_mut().zip(checks) {
            track.errors.push(check.error());
        }
    }
    println!("Error against CLOCK_MONOTONIC, {what}, {} s, {checks} checks, ns:\n", time.as_secs());
    println!("| clock | median | p99.9 | max | drift, ppm |\n|---|---|---|---|---|");
    for track in &mut tracks {
        row(track, time);
    }
    println!();
    for (what, one) in [("whatever slew", (|s| s.any) as fn(&Stated) -> (u64, bool)), ("if steady", |s| s.steady)] {
        let mut bounds: Vec<u64> = all.iter().map(|s| one(s).0).collect();
        bounds.sort_unstable();
        let outside = all.iter().filter(|s| !one(s).1).count();
        println!(
            "truetick's bound, {what}: median {} ns, at most {}; outside of it: {outside} of {checks}",
            bounds[bounds.len() / 2],
            bounds[bounds.len() - 1]
        );
    }
    println!("meanwhile {:?}, at first {epoch:?}\n", Clock::epoch());
}

fn row(track: &mut Track, time: Duration) {
    // Peers have their own zero.
    let zero = if track.name.starts_with("truetick") { 0.0 } else { track.errors[0] };
    let drift = (track.errors[track.errors.len() - 1] - track.errors[0]) / time.as_nanos() as f64 * 1e6;
    let mut sizes: Vec<f64> = track.errors.iter().map(|e| (e - zero).abs()).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    let at = |q: f64| sizes[((sizes.len() as f64 * q) as usize).min(sizes.len() - 1)];
    println!("| {} | {:.0} | {:.0} | {:.0} | {drift:.3} |", track.name, at(0.5), at(0.999), at(1.0));
}

/// Does `work` while a busy loop runs on every CPU.
pub(crate) fn loaded(cpus: usize, work: impl FnOnce()) {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for cpu in 0..cpus {
            let stop = &stop;
            scope.spawn(move || {
                crate::pin::pin(cpu);
                while !stop.load(Ordering::Relaxed) {
                    std::hint::black_box(0);
                }
            });
        }
        work();
        stop.store(true, Ordering::Relaxed);
    });
}
