//! truetick's wall clock beside the kernel's and beside UTC: each of its readings between two of both.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use lab_guest::notes::WatchedWall;
use rustix::time::ClockId;
use truetick::{Accuracy, Clock, Kernel, Provider, UtcInstant, Within};

use crate::clocks::read;
use crate::utc::Utc;

/// The kernel's last word on how far its clock is from UTC: how far, by how much that grows, when it was asked.
static SAID: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];

/// The kernel's word, kept: what else a reading states is of the kernel's clock.
struct Kept(Kernel);

impl Provider for Kept {
    fn accuracy(&self) -> Accuracy {
        let accuracy = self.0.accuracy();
        if let Ok(Within { ns, growth_ppb, .. }) = accuracy.error {
            let words = [ns, u64::from(growth_ppb), read(ClockId::Monotonic) as u64];
            SAID.iter().zip(words).for_each(|(said, word)| said.store(word, Relaxed));
        }
        accuracy
    }
}

/// The kernel's word `now`, by CLOCK_MONOTONIC. Only the thread that compares has it asked for.
fn said(now: u64) -> u64 {
    let [ns, growth_ppb, at] = SAID.each_ref().map(|said| said.load(Relaxed));
    ns + (u128::from(now.saturating_sub(at)) * u128::from(growth_ppb) / 1_000_000_000) as u64
}

/// Comparisons under way.
pub(crate) struct Wall {
    utc: Utc,
    seen: WatchedWall,
}

impl Wall {
    pub(crate) fn new(utc: Utc) -> Self {
        // Once in the process: this is the only place.
        let _ = Clock::set_provider(Kept(Kernel::new()));
        Self { utc, seen: WatchedWall { smallest_uncertainty_ns: u64::MAX, ..WatchedWall::default() } }
    }

    /// One reading.
    pub(crate) fn compare(&mut self) {
        let monotonic = read(ClockId::Monotonic) as u64;
        let utc_before = self.utc.now();
        let before = read(ClockId::Realtime);
        let reading = UtcInstant::now_with_bounds();
        let after = read(ClockId::Realtime);
        let utc_after = self.utc.now();
        let seen = &mut self.seen;
        let (Ok(bounds), Ok(uncertainty)) = (reading.bounds(), reading.uncertainty()) else {
            *(if seen.bounded == 0 { &mut seen.unbounded_before } else { &mut seen.unbounded_after }) += 1;
            return;
        };
        seen.bounded += 1;
        let uncertainty = uncertainty.as_nanos() as u64;
        seen.smallest_uncertainty_ns = seen.smallest_uncertainty_ns.min(uncertainty);
        seen.largest_uncertainty_ns = seen.largest_uncertainty_ns.max(uncertainty);
        // Outside a bracket it is off by this at least.
        let outside = |time: i64, low: i64, high: i64| (low - time).max(time - high).max(0) as u64;
        let time = reading.time().as_unix_nanos();
        seen.largest_error_ns = seen.largest_error_ns.max(outside(time, utc_before, utc_after));
        let (earliest, latest) = (bounds.earliest.as_unix_nanos(), bounds.latest.as_unix_nanos());
        let excess = (earliest - utc_after).max(utc_before - latest).max(0) as u64;
        seen.beyond += u64::from(excess > 0);
        seen.largest_excess_ns = seen.largest_excess_ns.max(excess);
        let error = outside(time, before, after);
        seen.beyond_realtime += u64::from(error > uncertainty.saturating_sub(said(monotonic)));
        seen.largest_realtime_error_ns = seen.largest_realtime_error_ns.max(error);
    }

    pub(crate) fn seen(self) -> WatchedWall {
        self.seen
    }
}
