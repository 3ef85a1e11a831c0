//! What a guest writes down of what it did. Times are in ns, by the clock named.

use serde::{Deserialize, Serialize};

use crate::plan::Fault;

/// The guest's notes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Notes {
    /// The kernel's clocksource as the program started.
    pub clocksource: Option<String>,
    /// Memory that was there for the program as it started, MiB (/proc/meminfo).
    pub memory_mib: Option<u64>,
    /// How the program ended.
    pub program: Option<Ended>,
    /// How its second run ended.
    pub then: Option<Ended>,
    /// What was done to the machine, in this order.
    pub faults: Vec<Done>,
    /// How fast CLOCK_MONOTONIC_RAW ran by CLOCK_MONOTONIC while the program ran.
    pub raw_rate: Option<RawRate>,
    /// By how much UTC was ahead of CLOCK_REALTIME.
    pub utc: Option<UtcAhead>,
    /// What chronyd did.
    pub chronyd: Option<Chronyd>,
    /// truetick beside the kernel's clock.
    pub truetick: Option<Watched>,
    /// truetick's wall clock beside the kernel's, and beside UTC.
    pub wall: Option<WatchedWall>,
    /// What did not work; the scenario fails if there is anything here.
    pub errors: Vec<String>,
}

/// A rate less 1, ppm, between hard bounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RawRate {
    /// At least.
    pub low_ppm: f64,
    /// At most.
    pub high_ppm: f64,
}

/// How the program ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// Its exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// What it wrote to standard error.
    pub stderr: String,
    /// What it wrote to standard output, where that is not a record.
    pub stdout: String,
}

/// One fault, with all clocks before and after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// What was asked for.
    pub fault: Fault,
    /// The clocks just before.
    pub before: Clocks,
    /// The clocks just after.
    pub after: Clocks,
    /// What CLOCK_REALTIME gained on CLOCK_MONOTONIC meanwhile, ns.
    pub realtime_step_ns: i64,
    /// What CLOCK_BOOTTIME gained on CLOCK_MONOTONIC meanwhile, ns: time asleep.
    pub asleep_ns: i64,
    /// The kernel's leap state just after, where a leap second was asked for: `TIME_OOP`, `TIME_WAIT` ….
    pub leap_state: Option<String>,
    /// Where a counter was written: how far it is ahead of CPU 0's now.
    pub ahead: Option<Ahead>,
    /// Where a counter was made to run at another rate: by how much it did, ppb, of the counts that passed.
    pub drifted_ppb: Option<f64>,
}

/// How far one CPU's counter is ahead of CPU 0's, ticks: no less than the one, no more than the other, by the order in
/// which the two were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ahead {
    /// At least.
    pub low: i64,
    /// At most.
    pub high: i64,
}

/// Clocks read one after the other, ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clocks {
    /// CLOCK_REALTIME.
    pub realtime_ns: i64,
    /// CLOCK_MONOTONIC.
    pub monotonic_ns: i64,
    /// CLOCK_BOOTTIME.
    pub boottime_ns: i64,
}

/// truetick beside CLOCK_MONOTONIC.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Watched {
    /// Comparisons.
    pub reads: u64,
    /// What truetick took at the end: `counter` or `system`.
    pub source: String,
    /// Why, in its words.
    pub why: String,
    /// When it was first seen not to take the counter any more, by CLOCK_BOOTTIME, ns.
    pub left_counter_boottime_ns: Option<i64>,
    /// Reads that were less than the one before.
    pub steps_back: u64,
    /// Comparisons without a stated uncertainty.
    pub uncertain: u64,
    /// The greatest distance from the bracket of two CLOCK_MONOTONIC readings, ns; 0: always between them.
    pub largest_error_ns: u64,
    /// Comparisons in which that was more than the uncertainty stated with the reading.
    pub beyond: u64,
    /// By how much at most, ns.
    pub largest_excess_ns: u64,
    /// The largest uncertainty stated, ns.
    pub largest_uncertainty_ns: u64,
    /// Comparisons in which the distance was more than what it stated for a clock that runs steadily.
    pub beyond_steady: u64,
    /// How often truetick found the clock unsteady.
    pub unsteady: u64,
    /// How often it found a jump of either clock.
    pub discontinuities: u64,
    /// The longest pause between two comparisons, ns: a suspend or a stop shows here.
    pub longest_pause_ns: u64,
}

/// By how much UTC was ahead of CLOCK_REALTIME, ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct UtcAhead {
    /// As the program started.
    pub first_ns: i64,
    /// At the end.
    pub last_ns: i64,
}

/// chronyd, and what it made of the clock.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Chronyd {
    /// Samples that its source sent.
    pub samples: u64,
    /// The rates that the kernel's clock was given, less 1, ppm (`adjtimex`, frequency and tick): the least.
    pub slowest_ppm: f64,
    /// The greatest.
    pub fastest_ppm: f64,
    /// What CLOCK_REALTIME gained on CLOCK_MONOTONIC, ns: 0 if it was not set.
    pub realtime_step_ns: i64,
}

/// truetick's wall clock, each reading between two of CLOCK_REALTIME and two of UTC.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchedWall {
    /// Readings without a bound, before the first one with a bound.
    pub unbounded_before: u64,
    /// Readings without a bound after that.
    pub unbounded_after: u64,
    /// Readings with a bound.
    pub bounded: u64,
    /// Those of which UTC was not within the bounds.
    pub beyond: u64,
    /// By how much at most, ns.
    pub largest_excess_ns: u64,
    /// How far a reading with a bound was from UTC, ns.
    pub largest_error_ns: u64,
    /// The least that a reading stated, ns.
    pub smallest_uncertainty_ns: u64,
    /// The most.
    pub largest_uncertainty_ns: u64,
    /// Those that were farther from CLOCK_REALTIME than they state without the kernel's word, which is of UTC.
    pub beyond_realtime: u64,
    /// How far at most, ns.
    pub largest_realtime_error_ns: u64,
}
