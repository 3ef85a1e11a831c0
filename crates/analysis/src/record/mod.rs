//! The record: everything one run found out, versioned, as `docs/record.schema.json` describes it.
//!
//! Every field that carries a physical quantity names its unit. A number that could not be obtained is
//! `null`, and [`Clock::missing`] says why; it is never 0 and never a guess.

mod beneath;
mod check;
mod clock;
mod compare;
mod deltas;
mod diagnosis;
mod finding;
mod frequency;
mod interruptions;
mod monitor;
mod programs;
mod runtimes;
mod samples;
mod series;
mod skew;
mod span;
mod sweep;
mod threads;
mod timers;

pub use crate::trace::machine::*;
pub use crate::trace::{Distance, Kind, Moment, Path, Promises, Tool, Unavailable};
pub use beneath::*;
pub use check::*;
pub use clock::*;
pub use compare::*;
pub use deltas::*;
pub use diagnosis::*;
pub use finding::*;
pub use frequency::*;
pub use interruptions::*;
pub use monitor::*;
pub use programs::*;
pub use runtimes::*;
pub use samples::*;
pub use series::*;
pub use skew::*;
pub use span::*;
pub use sweep::*;
pub use threads::*;
pub use timers::*;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The schema's name and version; a change that breaks a reader raises the number.
pub const SCHEMA: &str = "clockscope/1";

/// One survey of one machine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// Always `clockscope/1`.
    pub schema: String,
    /// The program that wrote the record.
    pub tool: Tool,
    /// How the run went.
    pub run: Run,
    /// The machine that it ran on.
    pub machine: Machine,
    /// One entry a clock that was read, in the catalog's order.
    pub clocks: Vec<Clock>,
    /// How the clocks' readings on several CPUs lie to each other, one entry a clock that was compared; where none was,
    /// `run.notes` says why.
    #[serde(default)]
    pub skew: Vec<Skew>,
    /// Clocks that were not read, with the reason.
    pub unavailable: Vec<Unavailable>,
    /// What the rules found, worst first.
    pub findings: Vec<Finding>,
    /// Which clock to use.
    pub verdict: Verdict,
    /// What the clocks' figures were made of, in the same order; empty unless asked for (`--series`).
    #[serde(default)]
    pub series: Vec<ClockSeries>,
}

/// How a run went: what a reader needs to weigh its figures.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// Wall time that the run took, s.
    pub wall_s: f64,
    /// When the run began, by the system's own word: UTC, as RFC 3339 has it.
    #[serde(default)]
    pub started: Option<String>,
    /// The same to the nanosecond, with how far it may be off. (`null` in records of versions that did not state it.)
    #[serde(default)]
    pub started_at: Option<Moment>,
    /// A random number that no other run has (UUID, version 4). (`null` in records of versions that did not state it.)
    #[serde(default)]
    pub id: Option<String>,
    /// The CPU that the reader was pinned to; `null` where it could not be pinned.
    pub cpu: Option<u32>,
    /// Why the reader could not be pinned or its memory not locked, if so.
    pub notes: Vec<String>,
    /// Seed of the random dither between reads.
    pub seed: u64,
    /// The clock whose nanoseconds all nanoseconds here are.
    pub reference: String,
    /// The clock that `reference` is a way of reading; empty in records of versions that did not state it.
    #[serde(default)]
    pub reference_base: String,
    /// The clock that brackets each read.
    pub witness: String,
    /// The clock that `witness` is a way of reading; empty as above.
    #[serde(default)]
    pub witness_base: String,
    /// Nanoseconds a tick of the witness, by the reference, as measured in this run.
    pub witness_tick_ns: Option<Interval>,
    /// Whether the run was stopped before its end (a signal); what had been measured is here.
    pub interrupted: bool,
    /// Share of the faults phase, in which every read stands between two stamps of the witness, that the
    /// reader stood still (preempted, interrupted, stolen from), 0 to 1; `null` if nothing was observed.
    pub standstill_share: Option<f64>,
    /// CPU time that the hypervisor took from this machine's CPUs during the run, as a share of the run's
    /// CPU time, 0 to 1; `null` where the kernel does not say.
    pub steal_share: Option<f64>,
    /// One-minute load average at the start.
    pub load: Option<f64>,
    /// How long the machine slept during the run, ns: what CLOCK_BOOTTIME gained on CLOCK_MONOTONIC from the first
    /// look to the last, bounded by the brackets. Bounds that begin at 0 mean that no sleep was seen. `null` with
    /// a reason in `missing` where the two can't be read.
    #[serde(default)]
    pub suspended_ns: Option<Interval>,
    /// Each step of CLOCK_REALTIME during the run, oldest first, seen by its offset from CLOCK_BOOTTIME (a sleep is
    /// no step); empty: none was seen, unless `missing` says that nobody looked.
    #[serde(default)]
    pub wall_steps_ns: Vec<WallStep>,
    /// Steps that were seen but are not listed.
    #[serde(default)]
    pub wall_steps_omitted: u64,
    /// Each change of the kernel's clocksource during the run, oldest first.
    #[serde(default)]
    pub clocksource_changes: Vec<ClocksourceChange>,
    /// Each time during the run that the VMClock's disruption marker was found changed, oldest first; always empty where
    /// `machine.vmclock` is `null`.
    #[serde(default)]
    pub disruptions: Vec<Disruption>,
    /// The kernel's clock discipline at the end of the run, beside `machine.ntp` at its start.
    #[serde(default)]
    pub ntp_end: Option<Ntp>,
    /// What could not be obtained and why; keys are field names of this object.
    #[serde(default)]
    pub missing: BTreeMap<String, String>,
}

/// A step of the wall clock.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WallStep {
    /// How far the clock was moved, ns; negative: back. The interval is a hard bound.
    pub size_ns: Interval,
    /// When, since the start of the run, ns: the middle of the time in which it must have happened.
    pub at_ns: f64,
    /// Half of that time, ns.
    pub at_uncertainty_ns: f64,
}

/// A time that the hypervisor disrupted the counter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Disruption {
    /// When the last look before it was made, since the start of the run, ns.
    pub since_ns: f64,
    /// When it was noticed, since the start of the run, ns.
    pub at_ns: f64,
}

/// A change of the kernel's clocksource.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClocksourceChange {
    /// When the last look before it was made, since the start of the run, ns.
    pub since_ns: f64,
    /// When it was noticed, since the start of the run, ns.
    pub at_ns: f64,
    /// The clocksource before.
    pub from: String,
    /// The clocksource after.
    pub to: String,
}

/// A measured value with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// Best estimate.
    pub value: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
}

impl Interval {
    /// A value that is known exactly.
    pub const fn exactly(value: f64) -> Self {
        Self { value, low: value, high: value }
    }
}
