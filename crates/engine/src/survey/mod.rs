//! The survey: drives catalog → measure → analyze → judge and hands over the record.

mod costs;
mod deltas;
mod faults;
mod keeping;
mod list;
#[cfg(test)]
mod odd_clocks;
mod phases;
mod quanta;
mod rates;
mod reader;
mod skew;
mod skews;
mod subject;
mod timebase;

use std::time::Duration;

pub use deltas::deltas;
pub use list::{Listed, list};
pub use skew::skew;

use crate::machine;
use clockscope_analysis::record::{Clock, Record, Run, SCHEMA, Tool};
use phases::Survey;

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
    /// The clock asked for as the reference has no nanoseconds of its own.
    #[error("clock '{id}' can't be the reference: {reason}")]
    Reference {
        /// As asked for.
        id: String,
        /// Why not.
        reason: String,
    },
    /// Reference and witness do not run at any common rate.
    #[error(
        "'{reference}' does not keep step with '{witness}': no figure in nanoseconds would mean anything; take another reference with --ref"
    )]
    NoTimebase {
        /// The reference.
        reference: String,
        /// The witness.
        witness: String,
    },
    /// Only one CPU may be used.
    #[error(
        "skew is what two CPUs differ by, and this process may run on {0} only; widen the taskset or the cpuset"
    )]
    OneCpu(String),
    /// Fewer than two CPUs were asked for.
    #[error("skew is what two CPUs differ by, and --cpus names one; choose two or more of {allowed}")]
    TooFewCpus {
        /// The allowed ones, as a list.
        allowed: String,
    },
    /// The clock has no value that two threads share.
    #[error(
        "clock '{id}' counts CPU time, which does not pass alike for two threads; skew is of clocks that tell the time, as {instead} or monotonic"
    )]
    CpuTime {
        /// As asked for.
        id: String,
        /// A clock that would do.
        instead: String,
    },
    /// No clock at all can be read, or none fit to be a witness.
    #[error("nothing here can time the reads: {0}")]
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
        matches!(
            self,
            Self::UnknownClock { .. }
                | Self::Cpu { .. }
                | Self::Reference { .. }
                | Self::TooFewCpus { .. }
                | Self::CpuTime { .. }
        )
    }
}

/// Surveys the machine. Whatever happens on the way, what was measured is in the record.
pub fn run(options: &Options, observer: &mut dyn Observer) -> Result<Record, Error> {
    let root = machine::Root::default();
    let usage = machine::Usage::now(&root);
    // Before the reader is pinned: the CPUs that the process may use are those of now.
    let mut machine = machine::gather(&machine::Options { hostname: options.hostname, cpu: options.cpu });
    let mut survey = Survey::new(options)?;
    survey.heed(&machine);
    let cpu = survey.cpu();
    survey.measure(options, observer)?;
    let interrupted = survey.stopped();
    let steal_share = usage.and_then(|before| machine::Usage::now(&root).and_then(|now| now.since(&before)));
    let mut run = Run {
        wall_s: survey.elapsed_ns() / 1e9,
        cpu,
        notes: survey.notes(),
        seed: options.seed,
        reference: survey.reference_id(),
        witness: survey.witness_id().into(),
        witness_base: survey.witness_base().into(),
        witness_tick_ns: Some(survey.tick()),
        interrupted,
        standstill_share: survey.standstill_share(),
        steal_share,
        load: machine.load.map(|load| load[0]),
        ..Run::default()
    };
    match machine::discipline() {
        Ok(ntp) => run.ntp_end = Some(ntp),
        Err(reason) => drop(run.missing.insert("ntp_end".into(), reason)),
    }
    survey.state_frequency(&mut machine);
    let skew = survey.take_skew();
    let (clocks, unavailable) = survey.finish(&machine, &mut run);
    let (findings, verdict) = clockscope_analysis::judge::judge(&machine, &run, &clocks, &skew);
    Ok(Record {
        schema: SCHEMA.into(),
        tool: Tool { name: "clockscope".into(), version: env!("CARGO_PKG_VERSION").into() },
        run,
        machine,
        clocks,
        skew,
        unavailable,
        findings,
        verdict,
    })
}
