//! Facts about the machine that explain its clocks' numbers.
//!
//! What reads is kept apart from what concludes, which is pure: files are looked up under a [`Root`], CPUID through a
//! reader, so that tests can make up any machine.

// Much of what is read here serves conclusions about the time-stamp counter, which other architectures lack.
#![cfg_attr(not(any(target_arch = "x86", target_arch = "x86_64")), allow(dead_code))]

mod cgroup;
mod common;
mod container;
mod cpu;
mod cpus;
mod date;
mod gather;
mod kernel;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod kernel_log;
mod namespace;
mod ntp;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod perf;
mod pseudonym;
mod ptp;
mod root;
mod usage;
mod vmclock;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod x86;

pub use cgroup::throttling;
pub use common::Options;
pub use cpus::{Topology, list as cpu_list};
pub use date::{now, utc};
pub use gather::gather;
pub use kernel::current_clocksource;
pub use ntp::read as discipline;
pub use root::Root;
pub use usage::Usage;
pub use vmclock::disruption_marker;
