//! truetick beside the kernel's clock: each of its readings between two of CLOCK_MONOTONIC.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle, sleep};
use std::time::Duration;

use lab_guest::notes::{Watched, WatchedWall};
use lab_guest::plan::Watch;
use rustix::time::ClockId;
use truetick::{Clock, Source};

use crate::clocks::read;
use crate::utc::Utc;
use crate::wall::Wall;

/// Comparisons under way, in a thread of their own.
pub(crate) struct Running {
    stop: Arc<AtomicBool>,
    started_ns: i64,
    thread: JoinHandle<(Watched, Option<WatchedWall>)>,
}

impl Running {
    pub(crate) fn start(watch: Watch, utc: Option<Utc>) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&stop);
        let started_ns = read(ClockId::Boottime);
        Self { stop, started_ns, thread: thread::spawn(move || compare(watch, utc, &asked)) }
    }

    /// Ends them, not before they have gone on for `for_s`.
    pub(crate) fn end(self, for_s: f64) -> (Watched, Option<WatchedWall>) {
        let gone_s = (read(ClockId::Boottime) - self.started_ns) as f64 / 1e9;
        sleep(Duration::from_secs_f64((for_s - gone_s).max(0.0)));
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap_or_else(|_| (Watched { why: "the watching thread panicked".into(), ..none() }, None))
    }
}

fn none() -> Watched {
    Watched {
        reads: 0,
        source: String::new(),
        why: String::new(),
        left_counter_boottime_ns: None,
        steps_back: 0,
        uncertain: 0,
        largest_error_ns: 0,
        beyond: 0,
        largest_excess_ns: 0,
        largest_uncertainty_ns: 0,
        beyond_steady: 0,
        unsteady: 0,
        discontinuities: 0,
        longest_pause_ns: 0,
    }
}

fn compare(watch: Watch, utc: Option<Utc>, stop: &AtomicBool) -> (Watched, Option<WatchedWall>) {
    let mut seen = none();
    let mut wall = utc.map(Wall::new);
    let pause = Duration::from_secs_f64(watch.every_ms.max(0.0) / 1e3);
    let (mut last_ns, mut last_boottime_ns) = (0, read(ClockId::Boottime));
    while !stop.load(Ordering::Relaxed) {
        let before = read(ClockId::Monotonic) as u64;
        let reading = Clock::reading();
        let after = read(ClockId::Monotonic) as u64;
        seen.reads += 1;
        seen.steps_back += u64::from(reading.ns < last_ns);
        last_ns = reading.ns;
        // Outside the bracket it is off by this at least.
        let error = before.saturating_sub(reading.ns).max(reading.ns.saturating_sub(after));
        seen.largest_error_ns = seen.largest_error_ns.max(error);
        match reading.uncertainty_ns {
            None => seen.uncertain += 1,
            Some(uncertainty) => {
                let excess = error.saturating_sub(uncertainty);
                seen.beyond += u64::from(excess > 0);
                seen.largest_excess_ns = seen.largest_excess_ns.max(excess);
                seen.largest_uncertainty_ns = seen.largest_uncertainty_ns.max(uncertainty);
            }
        }
        seen.beyond_steady += u64::from(reading.uncertainty_if_steady_ns.is_some_and(|steady| error > steady));
        if let Some(wall) = &mut wall {
            wall.compare();
        }
        let boottime_ns = read(ClockId::Boottime);
        if seen.left_counter_boottime_ns.is_none() && Clock::source() == Source::System {
            seen.left_counter_boottime_ns = Some(boottime_ns);
        }
        seen.longest_pause_ns = seen.longest_pause_ns.max((boottime_ns - last_boottime_ns) as u64);
        last_boottime_ns = boottime_ns;
        sleep(pause);
    }
    seen.source = match Clock::source() {
        Source::Counter => "counter",
        _ => "system",
    }
    .into();
    seen.why = Clock::why().to_string();
    let epoch = Clock::epoch();
    (seen.unsteady, seen.discontinuities) = (epoch.unsteady, epoch.discontinuities);
    (seen, wall.map(Wall::seen))
}
