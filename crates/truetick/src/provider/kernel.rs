//! The kernel's own word.

use super::{Provider, VmClock};
use crate::{
    os,
    wall::{Accuracy, Unbounded},
};

/// The kernel's own word (`adjtimex`, on 64-bit Linux): the maximum error that the daemon told it, which it lets grow by
/// 500 ppm until the daemon tells it anew, and what may remain of an offset that the kernel is to remove (ADJ_OFFSET,
/// adjtime). What is asked where no provider is named. Elsewhere nobody says.
///
/// The kernel's word outlives a sleep of the machine, in which its clock may go wrong by a second. So where this process sees
/// that the machine has slept, there is no bound ([`Unbounded::Slept`]) until the maximum error has fallen. Of a sleep before
/// the process asked first, and of one that counted as nothing (less than a second), it knows nothing.
///
/// Asking takes `adjtimex` twice and CLOCK_BOOTTIME once (a system call before Linux 5.3), once in each line (2 ms) that is
/// read with bounds: 1 to 6 µs, as the kernel is quick.
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
