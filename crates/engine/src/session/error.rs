//! Why a run could not be made.

use std::fmt::Display;

/// Why a run could not be made, in words for whom it asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// What was asked for does not exist or does not fit: exit code 2.
    #[error("{0}")]
    Usage(String),
    /// This machine does not allow it: exit code 3.
    #[error("{0}")]
    Machine(String),
}

impl Error {
    /// No clock at all can be read, or none is fit to be a witness.
    pub(crate) fn no_witness(why: impl Display) -> Self {
        Self::Machine(format!("nothing here can time the reads: {why}"))
    }

    /// The CPU asked for is not one of the allowed ones, given as a list.
    pub(super) fn no_cpu(cpu: u32, allowed: &str) -> Self {
        Self::Usage(format!(
            "CPU {cpu} is not among the CPUs that this process may run on ({allowed}); choose one of those or change \
             the taskset/cpuset"
        ))
    }

    /// Whether the caller asked for something that does not exist, rather than for something that this machine does not
    /// allow.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Usage(_))
    }
}
