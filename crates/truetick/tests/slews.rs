//! This program's `clock_gettime` is slewed and set back by known amounts while the clock is read on all CPUs: no
//! reading lies outside of what it states, none goes back, time does not stand still, the counter stays in use.
//!
//! `TRUETICK_SLEW_MS=1000` slews for a second each, as the kernel does (ADJ_TICK, ADJ_OFFSET); 60 ms otherwise.
//! `TRUETICK_SLEW_READS=1000000000` reads so often while it is slewed by 10 % to and fro; 2,000,000 times otherwise.
#![cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64", not(any(loom, miri))))]

mod again;
mod behind;

use std::{
    sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering},
    thread,
    time::Duration,
};

use behind::{Gettime, gettime};
use truetick::{Clock, Epoch, Reading, Source};

/// CLOCK_MONOTONIC as this program sees it: from the true time `since` on it goes by `1 + ppm / 10^6`, until `until` is
/// past; what was gained or lost stays in `moved`. Only the main thread changes them, and between its readings.
static SINCE: AtomicI64 = AtomicI64::new(i64::MAX);
static UNTIL: AtomicI64 = AtomicI64::new(i64::MAX);
static PPM: AtomicI64 = AtomicI64::new(0);
static MOVED: AtomicI64 = AtomicI64::new(0);

/// From this true time on it goes 10 % too fast and 10 % too slow by turns, of [`TURN_NS`] each.
static SWINGS: AtomicI64 = AtomicI64::new(i64::MAX);
const TURN_NS: i64 = 20_000_000;

fn lie(true_ns: i64) -> i64 {
    let slewed = true_ns.min(UNTIL.load(Ordering::SeqCst)) - SINCE.load(Ordering::SeqCst);
    let swung = (true_ns - SWINGS.load(Ordering::SeqCst)).max(0) % (2 * TURN_NS);
    let swung = swung.min(2 * TURN_NS - swung) / 10;
    true_ns + MOVED.load(Ordering::SeqCst) + slewed.max(0) * PPM.load(Ordering::SeqCst) / 1_000_000 + swung
}

/// Stands in front of the C library's, for this whole program.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
unsafe extern "C" fn clock_gettime(clock: libc::clockid_t, time: *mut libc::timespec) -> libc::c_int {
    // SAFETY: passed on.
    let rc = unsafe { gettime()(clock, time) };
    if rc == 0 && clock == libc::CLOCK_MONOTONIC {
        // SAFETY: just written.
        let t = unsafe { &mut *time };
        let ns = lie(t.tv_sec * 1_000_000_000 + t.tv_nsec);
        (t.tv_sec, t.tv_nsec) = (ns.div_euclid(1_000_000_000), ns.rem_euclid(1_000_000_000));
    }
    rc
}

fn read(clock: Gettime) -> i64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one timespec to the address given.
    unsafe { clock(libc::CLOCK_MONOTONIC, &raw mut t) };
    t.tv_sec * 1_000_000_000 + t.tv_nsec
}

fn true_ns() -> i64 {
    read(gettime())
}

/// When the readings were last seen to move, by the true clock.
static STOOD: AtomicI64 = AtomicI64::new(0);

/// What came of many readings.
#[derive(Debug, Default)]
struct Seen {
    readings: u64,
    outside: u64,
    /// When the last of them was asked for, by the lying clock.
    outside_at: i64,
    unknown: u64,
    beyond_steady: u64,
    untold: u64,
    verified_outside: u64,
    back: u64,
    longest_stand: i64,
    last: u64,
}

impl Seen {
    /// Reads for `ms` of true time; every reading between two of the lying clock.
    fn readings(&mut self, ms: i64) {
        let end = true_ns() + ms * 1_000_000;
        let (mut moved, mut at) = (self.last, true_ns());
        while at < end {
            let epoch = Clock::epoch();
            let before = read(clock_gettime);
            let reading = Clock::reading();
            let after = read(clock_gettime);
            self.judge(before, reading, after, epoch);
            self.verify();
            at = true_ns();
            // A reader that was interrupted did not see time stand.
            if reading.ns > moved || after - before > 20_000 {
                moved = reading.ns;
                STOOD.store(at, Ordering::Relaxed);
            } else {
                self.longest_stand = self.longest_stand.max(at - STOOD.load(Ordering::Relaxed));
            }
        }
    }

    /// One that asks the clock itself holds always.
    fn verify(&mut self) {
        let before = read(clock_gettime);
        let reading = Clock::verified();
        let after = read(clock_gettime);
        let ns = reading.ns as i64 - Clock::set_back().as_nanos() as i64;
        let off = (before - ns).max(ns - after).max(0) as u64;
        self.verified_outside += u64::from(reading.uncertainty_ns.is_none_or(|u| off > u));
        self.back += u64::from(reading.ns < self.last);
        self.last = reading.ns;
    }

    fn judge(&mut self, before: i64, reading: Reading, after: i64, epoch: Epoch) {
        self.readings += 1;
        self.back += u64::from(reading.ns < self.last);
        self.last = reading.ns;
        let ns = reading.ns as i64 - Clock::set_back().as_nanos() as i64;
        let off = (before - ns).max(ns - after).max(0) as u64;
        // What two brackets hide (here a part of an interrupted one), a comparison can't tell.
        let told = |this: &mut Self| {
            let told = Clock::check() != epoch;
            this.untold += u64::from(!told);
        };
        match (reading.uncertainty_ns, reading.uncertainty_if_steady_ns) {
            (Some(any), Some(steady)) => {
                if off > any {
                    (self.outside, self.outside_at) = (self.outside + 1, before);
                    told(self);
                } else if off > steady {
                    self.beyond_steady += 1;
                    if off > steady + 200 {
                        told(self);
                    }
                }
            }
            _ => self.unknown += 1,
        }
    }
}

/// Slews the clock for `ms` from `in_us` on, and lets it go on at its rate.
fn slew(seen: &mut Seen, ppm: i64, in_us: i64, ms: i64) {
    let since = true_ns() + in_us * 1000;
    UNTIL.store(since + ms * 1_000_000, Ordering::SeqCst);
    SINCE.store(since, Ordering::SeqCst);
    PPM.store(ppm, Ordering::SeqCst);
    seen.readings(ms + ms / 2 + in_us / 1000);
    MOVED.fetch_add(ms * ppm, Ordering::SeqCst);
    PPM.store(0, Ordering::SeqCst);
}

/// Another thread that reads all the while; how often it read less than what was read before on any thread.
fn beside<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let (latest, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let reader = || {
        let mut back = 0;
        while !stop.load(Ordering::Relaxed) {
            let before = latest.load(Ordering::Acquire);
            let now = Clock::now_ns();
            back += u64::from(now < before);
            latest.fetch_max(now, Ordering::AcqRel);
        }
        back
    };
    thread::scope(|scope| {
        let readers = [scope.spawn(reader), scope.spawn(reader)];
        let done = work();
        stop.store(true, Ordering::Relaxed);
        (done, readers.into_iter().map(|r| r.join().expect("it does not panic")).sum())
    })
}

/// Each test has the program's one clock to itself: in a process of its own.
fn alone(test: &str, source: &str, run: impl FnOnce()) {
    if !again::with(test, "TRUETICK_SOURCE", source) {
        Clock::init();
        Seen::default().readings(50);
        run();
    }
}

#[test]
fn no_slew_leads_out_of_what_is_stated() {
    alone("no_slew_leads_out_of_what_is_stated", "counter", || {
        let ms = std::env::var("TRUETICK_SLEW_MS").ok().and_then(|s| s.parse().ok()).unwrap_or(60);
        println!(
            "| slew, ppm | readings | outside, any slew | outside, if steady | untold | stood still, ns at most |"
        );
        println!("|---|---|---|---|---|---|");
        for ppm in [500, 2000, 20_000, 83_000, 100_000, 226_000] {
            for ppm in [ppm, -ppm] {
                let before = Clock::epoch();
                let (seen, back) = beside(|| {
                    let mut seen = Seen::default();
                    // At some place within a line.
                    slew(&mut seen, ppm, 2000 + (true_ns() % 2000), ms);
                    seen
                });
                let Seen { readings, outside, beyond_steady, untold, longest_stand, .. } = seen;
                println!("| {ppm:+} | {readings} | {outside} | {beyond_steady} | {untold} | {longest_stand} |");
                assert_eq!(
                    (outside, untold, seen.unknown, seen.back, back, seen.verified_outside),
                    (0, 0, 0, 0, 0, 0),
                    "{ppm} ppm: {seen:?}"
                );
                assert_eq!(Clock::epoch().discontinuities, before.discontinuities, "{ppm} ppm: a slew is no jump");
                assert!(longest_stand < 500_000, "{ppm} ppm: {seen:?}");
            }
        }
        assert_eq!(Clock::source(), Source::Counter, "{}", Clock::explain());
    });
}

#[test]
fn nothing_goes_back_while_the_clock_swings() {
    alone("nothing_goes_back_while_the_clock_swings", "counter", || {
        let reads = std::env::var("TRUETICK_SLEW_READS").ok().and_then(|s| s.parse().ok()).unwrap_or(2_000_000);
        let before = Clock::epoch();
        let [latest, made, back] = [const { AtomicU64::new(0) }; 3];
        let reader = || {
            let mut went_back = 0;
            while made.fetch_add(1000, Ordering::Relaxed) < reads {
                for _ in 0..1000 {
                    let before = latest.load(Ordering::Acquire);
                    let now = Clock::now_ns();
                    went_back += u64::from(now < before);
                    latest.fetch_max(now, Ordering::AcqRel);
                }
            }
            back.fetch_add(went_back, Ordering::Relaxed);
        };
        let threads = thread::available_parallelism().map_or(2, usize::from).max(2);
        let begun = true_ns();
        SWINGS.store(begun, Ordering::SeqCst);
        thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(reader))));
        let (seconds, epoch) = ((true_ns() - begun) as f64 / 1e9, Clock::epoch());
        let (unsteady, back) = (epoch.unsteady - before.unsteady, back.into_inner());
        println!("{reads} readings on {threads} threads, {seconds:.1} s, {unsteady} times unsteady: {back} went back");
        assert_eq!((back, epoch.discontinuities), (0, before.discontinuities), "a slew is no jump");
        assert!(unsteady > 0, "it was not slewed");
        assert_eq!(Clock::source(), Source::Counter, "{}", Clock::explain());
    });
}

fn set_back() {
    for ns in [1_000_000, 3_000_000, 10_000_000, 1_000_000_000, 3_600_000_000_000, 86_400_000_000_000] {
        // The true clock counts from the machine's start.
        MOVED.fetch_add(ns, Ordering::SeqCst);
        Seen::default().readings(20);
        let (mut seen, was, begun) = (Seen::default(), Clock::now_ns(), true_ns());
        seen.last = was;
        MOVED.fetch_sub(ns, Ordering::SeqCst);
        let set = read(clock_gettime);
        seen.readings(50);
        let (gone, passed) = (Clock::now_ns() - was, (true_ns() - begun) as u64);
        let last_us = (seen.outside_at - set).max(0) / 1000;
        println!("set back by {ns} ns: {gone} ns in {passed}; outside for {last_us} µs; {seen:?}");
        // No more than a part of a line of 2 ms, or what was too little to be taken for it, is lost or gained.
        assert!(gone.abs_diff(passed) < 5_000_000, "{gone} of {passed} ns");
        assert_eq!((seen.untold, seen.back, seen.verified_outside), (0, 0, 0), "{ns}: {seen:?}");
        assert!(seen.longest_stand < 500_000, "{ns}: {seen:?}");
        // Who has not asked the kernel can't know, which is until the end of a line of 2 ms; an interruption does not put it
        // off, as a reading after it is past that end.
        assert!(last_us < 2500, "{ns}: {last_us} µs: {seen:?}");
        // Once found, it is known again.
        let mut later = Seen::default();
        later.readings(20);
        assert_eq!((later.outside, later.unknown), (0, 0), "{ns}: {later:?}");
    }
}

#[test]
fn goes_on_where_the_clock_is_set_back() {
    alone("goes_on_where_the_clock_is_set_back", "counter", || {
        set_back();
        assert!(Clock::set_back() > Duration::from_secs(86_400));
    });
}

#[test]
fn goes_on_where_the_clock_is_set_back_and_all_there_is() {
    alone("goes_on_where_the_clock_is_set_back_and_all_there_is", "os", set_back);
}
