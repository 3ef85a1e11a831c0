//! Adds up time between start and stop.

use core::time::Duration;

use crate::{Clock, Instant};

/// A stopwatch: time adds up while it runs. Never negative. Readings are ordered ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Stopwatch {
    total: Duration,
    running: Option<Instant>,
    lap: Duration,
}

impl Stopwatch {
    /// A stopped one at zero.
    pub const fn new() -> Self {
        Self { total: Duration::ZERO, running: None, lap: Duration::ZERO }
    }

    /// A running one.
    pub fn start_new() -> Self {
        Self { running: Some(Instant::now()), ..Self::new() }
    }

    /// Runs on from here; nothing where it runs already.
    pub fn start(&mut self) {
        self.running.get_or_insert_with(Instant::now);
    }

    /// Stops and keeps the time; nothing where it is stopped already.
    pub fn stop(&mut self) {
        let now = Instant::now();
        if let Some(since) = self.running.take() {
            self.total = self.total.saturating_add(now - since);
        }
    }

    /// Stops, at zero.
    pub fn reset(&mut self) {
        *self = Self::new();
    }

    /// From zero, running.
    pub fn restart(&mut self) {
        *self = Self::start_new();
    }

    /// The time since the last lap, or since the start for the first one; the next lap begins here.
    pub fn lap(&mut self) -> Duration {
        let elapsed = self.elapsed();
        let lap = elapsed.saturating_sub(self.lap);
        self.lap = elapsed;
        lap
    }

    /// The time added up so far.
    pub fn elapsed(&self) -> Duration {
        self.total.saturating_add(self.running.map_or(Duration::ZERO, |since| since.elapsed()))
    }

    /// Whether it runs.
    pub const fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Units of [`timestamp`](Self::timestamp) a second.
    pub const fn frequency() -> u64 {
        1_000_000_000
    }

    /// Whether a reading resolves better than a microsecond: true wherever the counter or a clock of nanoseconds
    /// is read.
    pub fn is_high_resolution() -> bool {
        Clock::frequency_hz().is_none_or(|hz| hz > 1e6)
    }

    /// The ordered time, ns of the system's monotonic clock.
    pub fn timestamp() -> u64 {
        Clock::now_ns()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(ns: u64) {
        let start = Instant::now();
        while start.elapsed() < Duration::from_nanos(ns) {}
    }

    #[test]
    fn time_adds_up_only_while_it_runs() {
        let mut watch = Stopwatch::new();
        pass(20_000);
        assert_eq!((watch.elapsed(), watch.is_running()), (Duration::ZERO, false));
        watch.start();
        pass(50_000);
        watch.start();
        watch.stop();
        let first = watch.elapsed();
        assert!(first >= Duration::from_micros(50), "{first:?}");
        pass(20_000);
        watch.stop();
        assert_eq!(watch.elapsed(), first);
        watch.start();
        pass(50_000);
        assert!(watch.elapsed() >= first + Duration::from_micros(50));
        watch.reset();
        assert_eq!(watch, Stopwatch::new());
        watch.restart();
        assert!(watch.is_running());
    }

    #[test]
    fn laps_add_up_to_the_whole() {
        let mut watch = Stopwatch::start_new();
        let mut sum = Duration::ZERO;
        for _ in 0..3 {
            pass(20_000);
            let lap = watch.lap();
            assert!(lap >= Duration::from_micros(20));
            sum += lap;
        }
        assert!(sum <= watch.elapsed());
        watch.stop();
        let rest = watch.lap();
        assert_eq!(sum + rest, watch.elapsed());
        assert_eq!(watch.lap(), Duration::ZERO);
    }

    #[test]
    fn speaks_nanoseconds() {
        assert_eq!(Stopwatch::frequency(), 1_000_000_000);
        let (a, b) = (Stopwatch::timestamp(), Stopwatch::timestamp());
        assert!(a <= b);
        let _ = Stopwatch::is_high_resolution();
    }
}
