//! The operating system's own clocks and its environment, a file a family of systems.
//!
//! Each has `monotonic_ns` (what `std::time::Instant` reads there) and `coarse_ns` (its cheapest clock of the same
//! time scale, `None` where there is none).

mod env;
#[cfg_attr(all(any(target_os = "linux", target_os = "android"), not(miri)), path = "variables_linux.rs")]
mod variables;

#[cfg(not(any(all(unix, target_pointer_width = "64"), target_os = "linux", windows)))]
#[path = "other.rs"]
mod system;
#[cfg(any(all(unix, target_pointer_width = "64"), target_os = "linux"))]
#[path = "unix.rs"]
mod system;
#[cfg(windows)]
#[path = "windows.rs"]
mod system;

pub(crate) use env::{forced, hooks, period_ns};
pub(crate) use system::{coarse_ns, monotonic_ns};
