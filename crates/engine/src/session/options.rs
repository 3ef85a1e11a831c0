//! What to measure and how.

use std::time::Duration;

/// What to measure and how.
#[derive(Debug, Clone)]
pub struct Options {
    /// The clocks by any [name](crate::catalog::names); empty: those that the command is about by itself.
    pub clocks: Vec<String>,
    /// Clocks by their ids that are measured too where `clocks` names some; those that can't be read are left out.
    pub beside: Vec<String>,
    /// The clock whose nanoseconds are used, by any name; `None`: `monotonic@vdso`, or the next best.
    pub reference: Option<String>,
    /// CPU to pin to; `None`: the last one of the allowed set.
    pub cpu: Option<u32>,
    /// CPUs to compare, or to watch; `None`: those of the allowed set, or the one of `cpu`.
    pub cpus: Option<Vec<u32>>,
    /// How many threads are to read at once, one number after the other; empty: 1, 2, 4 … and twice the CPUs.
    pub threads: Vec<u32>,
    /// Whether each of them is pinned to a CPU.
    pub pin: bool,
    /// Wall time for the whole run.
    pub time: Duration,
    /// Time between two looks of a watch.
    pub every: Duration,
    /// Reads a clock in the search for faults and in the histogram of differences, instead of a share of the time.
    pub reads: Option<u64>,
    /// A CPU that is away for longer is interrupted.
    pub longer_than: Duration,
    /// Lengths of sleeps.
    pub lengths: Vec<Duration>,
    /// Seed of the random pauses between reads.
    pub seed: u64,
    /// Whether the record may carry the host's name.
    pub hostname: bool,
    /// Whether the record may carry the machine's pseudonym.
    pub machine_id: bool,
}

/// Wall time of a survey unless asked otherwise: with start and rendering it stays within three seconds.
const SURVEY: Duration = Duration::from_millis(2800);

impl Default for Options {
    fn default() -> Self {
        Self {
            clocks: Vec::new(),
            beside: Vec::new(),
            reference: None,
            cpu: None,
            cpus: None,
            threads: Vec::new(),
            pin: false,
            time: SURVEY,
            every: Duration::from_secs(1),
            reads: None,
            longer_than: Duration::from_micros(1),
            lengths: Vec::new(),
            seed: 1,
            hostname: false,
            machine_id: false,
        }
    }
}

impl Options {
    /// The time of a run that goes on until it is stopped, longer than anybody waits: that it was stopped then is no
    /// interruption.
    pub const UNTIL_STOPPED: Duration = Duration::from_secs(100 * 365 * 86_400);

    /// The time, ns.
    pub(crate) fn time_ns(&self) -> f64 {
        self.time.as_nanos() as f64
    }

    /// How many times as long as the default survey the run is, at least 1: a longer one has room for more readings.
    pub(crate) fn length(&self) -> f64 {
        (self.time_ns() / SURVEY.as_nanos() as f64).max(1.0)
    }
}
