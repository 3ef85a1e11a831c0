//! The kernel's own word.

use super::{Provider, VmClock};
use crate::{
    os,
    wall::{Accuracy, Unbounded},
};

/// The kernel's own word (`adjtimex`, on 64-bit Linux): the maximum error that the daemon told it, which it lets grow by
/// 500 ppm until the daemon tells it anew, and what may remain of an offset that the kernel is to remove. What is asked where
/// no provider is named. Elsewhere nobody says.
///
/// Asking is a system call of about 0.3 µs, once in each line (2 ms) that is read with bounds.
#[derive(Debug, Default)]
pub struct Kernel {
    vmclock: Option<VmClock>,
}

impl Kernel {
    /// The kernel's word.
    #[must_use]
    pub const fn new() -> Self {
        Self { vmclock: None }
    }

    /// The kernel's word until the hypervisor disrupts the counter. From then on there is no bound: the kernel does not
    /// know, and its word is of the time before. (clock-bound's daemon knows when the clock is right again.)
    #[must_use]
    pub const fn until_disrupted(vmclock: VmClock) -> Self {
        Self { vmclock: Some(vmclock) }
    }
}

impl Provider for Kernel {
    fn accuracy(&self) -> Accuracy {
        let accuracy = os::accuracy();
        // Afterwards: what was said after the disruption is not believed either.
        if self.vmclock.as_ref().is_some_and(VmClock::is_disrupted) {
            return Accuracy { error: Err(Unbounded::Disrupted), ..accuracy };
        }
        accuracy
    }

    fn disruption_marker(&self) -> Option<u64> {
        self.vmclock.as_ref()?.disruption_marker()
    }
}
