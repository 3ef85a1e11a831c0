//! Sleeps and timers: what was asked for, and what the kernel's clock showed when the thread ran again.

use serde::{Deserialize, Serialize};

/// What is known of sleeping here before anything sleeps.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SleepFacts {
    /// The ways to sleep, in the order in which they took turns.
    pub ways: Vec<Way>,
    /// The thread's timer slack (`prctl(PR_GET_TIMERSLACK)`), ns; `None`: it can't be read.
    pub slack_ns: Option<u64>,
    /// The thread's scheduling policy by name, as `SCHED_OTHER`.
    pub policy: Option<String>,
    /// Its nice value.
    pub nice: Option<i32>,
    /// What `clock_getres(CLOCK_MONOTONIC)` says, ns: 1 with high-resolution timers, else a tick.
    pub resolution_ns: Option<u64>,
    /// The kernel's tick, ns: what `clock_getres(CLOCK_MONOTONIC_COARSE)` says.
    pub tick_ns: Option<u64>,
    /// The lengths that are to be slept, ns; empty in traces of the first versions.
    #[serde(default)]
    pub lengths_ns: Vec<u64>,
}

/// A way to sleep.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Way {
    /// Its name here.
    pub id: String,
    /// The call.
    pub api: String,
    /// What the call counts in, ns: requests are rounded up to it. `None`: it takes no length.
    pub unit_ns: Option<u64>,
    /// How the kernel sets the timer.
    pub slack: Slack,
    /// Why it can't be used here, if so.
    pub unavailable: Option<String>,
}

/// By how much the kernel may put off a timer, so that it can wake for several at once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Slack {
    /// Not at all.
    #[default]
    None,
    /// By the thread's timer slack.
    Thread,
    /// By a share of the length where that is more: 0.1 %, or 0.5 % of a thread with a positive nice value.
    Share,
}

/// One turn of all ways at one length.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sleeps {
    /// What was asked for, ns; 0 of a way that takes no length.
    pub asked_ns: u64,
    /// The way's place among the ways, and how long it took by CLOCK_MONOTONIC, read right before the call and right after, ns.
    pub took: Vec<(usize, u64)>,
    /// Calls that a signal or an error ended.
    pub failed: u64,
}
