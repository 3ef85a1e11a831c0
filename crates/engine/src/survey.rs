//! The survey: drives catalog → measure → analyze → judge and hands over the record.

use std::time::Duration;

use crate::record::{Clock, Deltas, Kind, Path, Record};

/// What to survey and how.
#[derive(Debug, Clone)]
pub struct Options {
    /// Ids of the clocks to survey; empty: all.
    pub clocks: Vec<String>,
    /// The clock whose nanoseconds are used; `None`: `monotonic@vdso`, or the next best.
    pub reference: Option<String>,
    /// CPU to pin to; `None`: the last one of the allowed set.
    pub cpu: Option<u32>,
    /// Wall time for the whole survey.
    pub time: Duration,
    /// Reads a clock in the faults phase, instead of a share of the time.
    pub reads: Option<u64>,
    /// Seed of the random dither between reads.
    pub seed: u64,
    /// Whether the record may carry the host's name.
    pub hostname: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            clocks: Vec::new(),
            reference: None,
            cpu: None,
            time: Duration::from_millis(2800),
            reads: None,
            seed: 1,
            hostname: false,
        }
    }
}

/// Who watches a survey as it goes on. Called between measured windows only.
pub trait Observer {
    /// `done` of 1.0 is over; `phase` is what is being done.
    fn progress(&mut self, _done: f64, _phase: &str) {}
    /// A clock is finished.
    fn clock(&mut self, _clock: &Clock) {}
    /// Whether to stop now and make the record of what there is.
    fn stop(&self) -> bool {
        false
    }
}

/// Nobody watches.
impl Observer for () {}

/// Why a survey could not be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No clock has that id; `nearest` are the ids most like it, best first.
    #[error("no clock is called '{id}'{}", nearest_hint(.nearest))]
    UnknownClock {
        /// As asked for.
        id: String,
        /// Ids most like it.
        nearest: Vec<String>,
    },
    /// The clock exists but can't be read here.
    #[error("clock '{id}' can't be read here: {reason}")]
    NotReadable {
        /// As asked for.
        id: String,
        /// Why.
        reason: String,
    },
    /// The CPU asked for is not one that this process may run on.
    #[error(
        "CPU {cpu} is not among the CPUs that this process may run on ({allowed}); choose one of those or change the taskset/cpuset"
    )]
    Cpu {
        /// As asked for.
        cpu: u32,
        /// The allowed ones, as a list.
        allowed: String,
    },
    /// No clock at all can be read, or none fit to be a witness.
    #[error("no clock here can serve as the witness that brackets the reads: {0}")]
    NoWitness(String),
}

fn nearest_hint(nearest: &[String]) -> String {
    if nearest.is_empty() {
        "; `clockscope list` shows all of them".into()
    } else {
        format!("; did you mean {}? (`clockscope list` shows all of them)", nearest.join(" or "))
    }
}

impl Error {
    /// Whether the caller asked for something that does not exist (exit code 2), rather than for something
    /// that this machine does not allow (exit code 3).
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::UnknownClock { .. } | Self::Cpu { .. })
    }
}

/// One line of the catalog, as `clockscope list` shows it.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Listed {
    /// The clock's id.
    pub id: String,
    /// The exact call.
    pub api: String,
    /// What kind of time it tells.
    pub kind: Kind,
    /// The path that a read takes.
    pub path: Path,
    /// What the API claims to resolve, ns.
    pub reported_ns: Option<f64>,
    /// Why it can't be read; `None`: it can.
    pub reason: Option<String>,
}

/// Every clock of the catalog, readable or not.
pub fn list() -> Vec<Listed> {
    Vec::new()
}

/// Surveys the machine. Whatever happens on the way, what was measured is in the record.
pub fn run(options: &Options, observer: &mut dyn Observer) -> Result<Record, Error> {
    let _ = (options, observer);
    Err(Error::NoWitness("nothing is measured yet".into()))
}

/// Reads one clock over and over (`options.reads` times, or for `options.time`) and counts its adjacent
/// differences. Each chunk of consecutive readings, in the clock's own counts, is handed to `raw` outside the
/// timed loop.
pub fn deltas(
    id: &str,
    options: &Options,
    observer: &mut dyn Observer,
    raw: &mut dyn FnMut(&[u64]),
) -> Result<Deltas, Error> {
    let _ = (options, observer, raw);
    Err(Error::UnknownClock { id: id.into(), nearest: Vec::new() })
}
