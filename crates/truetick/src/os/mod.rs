//! The operating system's own clocks and its environment, a file a family of systems.
//!
//! Each has `monotonic_ns` (what `std::time::Instant` reads there), `coarse_ns` (its cheapest clock of the same
//! time scale, `None` where there is none) and `variable`.

mod env;

#[cfg(not(any(all(unix, target_pointer_width = "64"), target_os = "linux", windows)))]
#[path = "other.rs"]
mod system;
#[cfg(any(all(unix, target_pointer_width = "64"), target_os = "linux"))]
#[path = "unix.rs"]
mod system;
#[cfg(windows)]
#[path = "windows.rs"]
mod system;

pub(crate) use env::{Name, forced, hooks, period_ns};
pub(crate) use system::{coarse_ns, monotonic_ns};
