//! The operating system's own clocks and its environment, a file a family of systems.
//!
//! Each has `monotonic_ns` (what `std::time::Instant` reads there) and `coarse_ns` (its cheapest clock of the same
//! time scale, `None` where there is none).

mod env;
#[cfg_attr(
    not(any(
        target_os = "linux",
        target_os = "android",
        target_vendor = "apple",
        target_os = "freebsd",
        target_os = "netbsd",
        target_os = "openbsd",
        target_os = "solaris",
        target_os = "illumos",
    )),
    path = "errno_unknown.rs"
)]
mod errno;
mod name;
#[cfg_attr(all(any(target_os = "linux", target_os = "android"), not(miri)), path = "variables_linux.rs")]
mod variables;

// Only where a timespec's layout and the clocks' numbers are known: another number may be another clock.
#[cfg_attr(
    any(
        all(target_os = "linux", any(target_pointer_width = "64", target_arch = "x86", target_arch = "arm")),
        all(
            target_pointer_width = "64",
            any(
                target_os = "android",
                target_vendor = "apple",
                target_os = "freebsd",
                target_os = "netbsd",
                target_os = "openbsd",
                target_os = "dragonfly",
                target_os = "solaris",
                target_os = "illumos",
            )
        ),
    ),
    path = "unix.rs"
)]
#[cfg_attr(windows, path = "windows.rs")]
mod system;

pub(crate) use env::{forced, hooks, period_ns};
pub(crate) use errno::kept as errno_kept;
pub(crate) use system::{coarse_ns, monotonic_ns};
