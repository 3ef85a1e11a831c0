//! Why a run could not be made.

/// Why a run could not be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No clock has that id.
    #[error("no clock is called '{id}'{hint} (`clockscope list` shows all of them)")]
    UnknownClock {
        /// As asked for.
        id: String,
        /// The ids most like it, as a question.
        hint: String,
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
    #[error("skew is what two CPUs differ by, and this process may run on {0} only; widen the taskset or the cpuset")]
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
