//! What sleeping and timers really deliver.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Finding, Interval, Unavailable};

/// What `clockscope timers` found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimerReport {
    /// Always `clockscope-timers/1`.
    pub schema: String,
    /// The clock that says how long a sleep took: the kernel's own, by which it promises never to wake early.
    pub clock: String,
    /// The CPU that the thread was pinned to; `null` where it could not be pinned.
    pub cpu: Option<u32>,
    /// The thread's timer slack, ns; `null` with a reason in `missing`.
    pub slack_ns: Option<f64>,
    /// What the slack makes of a sleep as measured, ns: the median lateness with it less that without, where both were tried.
    pub slack_measured_ns: Option<Interval>,
    /// The thread's scheduling policy, as `SCHED_OTHER`.
    pub policy: Option<String>,
    /// Whether the kernel's timers are finer than its tick; `null` where it does not say.
    pub high_resolution: Option<bool>,
    /// The kernel's tick, ns.
    pub tick_ns: Option<f64>,
    /// One row a way and length.
    pub rows: Vec<TimerRow>,
    /// Wake-ups before the time asked for, over all rows; by POSIX there are none.
    pub early: u64,
    /// Calls that a signal or an error ended; they are in no row.
    pub failed: u64,
    /// What decides here how late a sleep ends, most important first, and what can be done about it.
    pub causes: Vec<TimerCause>,
    /// Ways that this system does not have.
    pub unavailable: Vec<Unavailable>,
    /// What the rules found in it, worst first.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// Whether the run was stopped before its end (a signal).
    pub interrupted: bool,
    /// What a reader should know of the run.
    pub notes: Vec<String>,
    /// What could not be obtained and why; keys are field names.
    pub missing: BTreeMap<String, String>,
}

/// One way to sleep at one length.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimerRow {
    /// The way, as `sleep-absolute`.
    pub way: String,
    /// The call.
    pub api: String,
    /// What was asked for, ns; `null` of a call that takes no length.
    pub asked_ns: Option<f64>,
    /// What the call was told, rounded up to its unit, ns.
    pub passed_ns: Option<f64>,
    /// Sleeps.
    pub count: u64,
    /// Those that ended before the time asked for.
    pub early: u64,
    /// By how much the earliest of them, ns; `null` where none did.
    pub earliest_ns: Option<f64>,
    /// How late they ended, ns: the median with its 95 % interval. Of a call that takes no length, how long it took. Of fewer than
    /// six the ends are the least and the greatest, which hold the median less often; `missing` says so.
    pub late_ns: Option<Interval>,
    /// The least late, ns.
    pub late_min_ns: Option<f64>,
    /// 99 % were no later, ns; `null` of fewer than 100, which do not tell it from the latest.
    pub late_p99_ns: Option<Interval>,
    /// The latest, ns.
    pub late_max_ns: Option<f64>,
    /// What the median lateness is made of, ns.
    pub parts_ns: BTreeMap<TimerPart, f64>,
    /// What so few sleeps do not tell, and why; keys are field names.
    #[serde(default)]
    pub missing: BTreeMap<String, String>,
}

/// What makes a sleep late.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TimerPart {
    /// The call's unit: the length was rounded up to it.
    Unit,
    /// The kernel may put the timer off, to wake for several at once.
    Slack,
    /// Timers end with the tick.
    Tick,
    /// From the timer's interrupt to the thread: leaving an idle state, the scheduler, the way back; for a guest, its hypervisor.
    WakeUp,
}

/// What decides how late sleeps end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimerCause {
    /// Which part of the lateness it is.
    pub part: TimerPart,
    /// How much it adds, ns, as the median over the rows concerned.
    pub ns: f64,
    /// What it is, with its evidence.
    pub what: String,
    /// What removes it, if anything.
    pub fix: Option<String>,
}
