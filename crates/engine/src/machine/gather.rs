//! Asks the running system, and puts the facts together.

use super::common::{Live, Options};
use super::root::Root;
use clockscope_analysis::record::Machine;

/// Gathers the facts of this machine. Never fails: what can't be read goes to `unreadable` with its reason.
///
/// Costs a few ms: some twenty small files, about ten CPUID reads (each an exit to the hypervisor in a guest)
/// and four system calls; nothing is changed.
pub fn gather(options: &Options) -> Machine {
    let live = Live::ask(options);
    let root = Root::default();
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    let machine = super::x86::here(&root, options, &live);
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    let machine = super::common::common(&root, options, &live).0;
    machine
}
