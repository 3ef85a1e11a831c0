//! Who says how far the wall clock is from UTC: the kernel, unless the program has named another.

mod clockbound;
mod clockbound_page;
mod kernel;
#[cfg_attr(
    not(all(
        any(target_os = "linux", target_os = "android"),
        target_pointer_width = "64",
        any(target_arch = "x86_64", target_arch = "aarch64"),
        not(miri)
    )),
    path = "page_absent.rs"
)]
mod page;
mod vmclock;
mod vmclock_page;

use core::fmt;
use std::sync::OnceLock;

pub use clockbound::ClockBound;
pub use kernel::Kernel;
pub use vmclock::VmClock;

use crate::wall::Accuracy;

/// Says how far the system's wall clock is from UTC.
///
/// Asked for by readings that are to have bounds, once in each line (2 ms), from whatever thread or signal handler makes one: it must not wait,
/// and not read truetick's own clocks.
pub trait Provider: Send + Sync {
    /// The bound at this moment on the difference between the system's wall clock (`CLOCK_REALTIME`) and UTC, and by how
    /// much it grows; or why there is none.
    fn accuracy(&self) -> Accuracy;

    /// A number that changes whenever the counter was disrupted: a live migration, a snapshot restored. Asked at each
    /// comparison of the clocks, every 2 ms, so it should be a load from memory. `None`: nobody says.
    fn disruption_marker(&self) -> Option<u64> {
        None
    }
}

static PROVIDER: OnceLock<Box<dyn Provider>> = OnceLock::new();

/// Another provider was named before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct AlreadyNamed;

impl fmt::Display for AlreadyNamed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("another provider was named before")
    }
}

impl core::error::Error for AlreadyNamed {}

/// Names the one to ask.
pub(crate) fn name(provider: Box<dyn Provider>) -> Result<(), AlreadyNamed> {
    PROVIDER.set(provider).map_err(|_| AlreadyNamed)
}

pub(crate) fn accuracy() -> Accuracy {
    // Off Linux the wall clock may be slewed against the monotonic one, by nobody knows how much.
    match PROVIDER.get().filter(|_| cfg!(any(target_os = "linux", target_os = "android"))) {
        Some(provider) => provider.accuracy(),
        None => Kernel::new().accuracy(),
    }
}

/// The disruption marker; 0 where there is none.
pub(crate) fn marker() -> u64 {
    let marker = PROVIDER.get().and_then(|provider| provider.disruption_marker());
    marker.map_or(0, |marker| marker.wrapping_add(1).max(1))
}
