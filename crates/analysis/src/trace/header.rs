//! What stands at the head of a trace.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::machine::{Frequency, Machine};
use super::{Description, Kind};

/// The schema of traces; a change that breaks a reader raises the number.
pub const TRACE_SCHEMA: &str = "clockscope-trace/1";

/// The program that wrote something.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// `clockscope`.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// A clock that was not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unavailable {
    /// The clock's id.
    pub id: String,
    /// Why it was not read.
    pub reason: String,
}

/// What a run was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// A survey; it ends in a record.
    Survey,
    /// A watch over hours; it ends in a report on what happened.
    Monitor,
    /// The comparison of CPUs; it ends in a report on skew.
    Skew,
    /// The differences of adjacent reads of the surveyed clock.
    Deltas,
    /// The shortest intervals that clocks can time; it ends in a report on them.
    Span,
    /// What every source says of the counter's frequency; it ends in a report on them.
    Frequency,
    /// The watch of CPUs for times in which they are taken away.
    Interruptions,
    /// What sleeps and timers deliver.
    Timers,
    /// Threads that read at once; it ends in a report on them.
    Threads,
}

/// A moment by the system's wall clock.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Moment {
    /// UTC, as RFC 3339 has it.
    pub utc: String,
    /// By the kernel's own word it is off by no more, ns (`machine.ntp.max_error_ns` and a read's time); `null` where the
    /// kernel does not hold its clock for synchronised, so that it may be off by anything.
    pub within_ns: Option<f64>,
}

/// What is known before anything is measured. Nothing here identifies the machine unless asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Always `clockscope-trace/1`.
    pub schema: String,
    /// The program that wrote the trace.
    pub tool: Tool,
    /// What the run was made for.
    pub task: Task,
    /// The machine.
    pub machine: Machine,
    /// Every clock that can be read, in the catalog's order. Elsewhere a clock is its place in this list.
    pub clocks: Vec<Description>,
    /// The clocks that the run is about.
    pub surveyed: Vec<usize>,
    /// Clocks that can't be read, where all were asked for.
    pub unavailable: Vec<Unavailable>,
    /// The clock that brackets the reads.
    pub witness: usize,
    /// The kernel's clock past the C library; it brackets the reads of counters.
    pub kernel: Option<usize>,
    /// The clock whose nanoseconds count.
    pub reference: usize,
    /// The CPU that the reader was pinned to.
    pub cpu: Option<u32>,
    /// When the run began, by the system's own word: UTC, as RFC 3339 has it.
    #[serde(default)]
    pub started: Option<String>,
    /// The same to the nanosecond, with how far it may be off.
    #[serde(default)]
    pub started_at: Option<Moment>,
    /// A random number that no other run has: a UUID of version 4.
    #[serde(default)]
    pub id: Option<String>,
    /// Seed of the random pauses.
    pub seed: u64,
    /// The witness at the start.
    pub start: u64,
    /// The kernel's clock at the start.
    pub kernel_start: Option<u64>,
}

impl Header {
    /// Whether the kernel's clock brackets the reads of that clock: a counter can't bear witness of itself.
    pub fn by_kernel(&self, clock: usize) -> bool {
        self.kernel.is_some() && self.clocks.get(clock).is_some_and(|d| d.kind == Kind::Counter)
    }

    /// The clock that brackets the reads of that clock.
    pub fn witness_of(&self, clock: usize) -> usize {
        self.kernel.filter(|_| self.by_kernel(clock)).unwrap_or(self.witness)
    }

    /// The first statement of the frequency of the CPU's counter.
    pub fn stated(&self) -> Option<&Frequency> {
        self.machine.tsc.as_ref()?.frequencies_hz.first()
    }

    /// Why the header can't be right, if it can't: a place that no clock has.
    pub fn wrong(&self) -> Option<String> {
        if self.schema != TRACE_SCHEMA {
            return Some(format!("its schema is '{}', not {TRACE_SCHEMA}", self.schema));
        }
        let (places, clocks) = ([self.witness, self.reference].into_iter().chain(self.kernel), self.clocks.len());
        let none = places.chain(self.surveyed.iter().copied()).find(|place| *place >= clocks)?;
        Some(format!("it names clock {none} and describes {clocks} clocks"))
    }
}
