//! The operating system's own clocks and its environment, a file a family of systems.
//!
//! Each has `monotonic_ns` (what `std::time::Instant` reads there), `coarse_ns` (its cheapest clock of the same
//! time scale, `None` where there is none), `wall_ns` (what `std::time::SystemTime` reads there) and `wall_step_ns`.

mod env;
// Where the choice makes calls that set it; elsewhere it makes none (DragonFly's sysctlbyname fails on no known name).
#[cfg_attr(not(any(target_os = "freebsd", target_os = "netbsd")), path = "errno_untouched.rs")]
mod errno;
mod name;
#[cfg_attr(
    all(
        any(target_os = "linux", target_os = "android"),
        target_pointer_width = "64",
        any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"),
        not(miri)
    ),
    path = "linux.rs"
)]
pub(crate) mod own;

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

pub(crate) use env::{forced, period_ns};
pub(crate) use errno::kept as errno_kept;
pub(crate) use own::{accuracy, tai_offset};
#[cfg(windows)]
pub(crate) use system::step_ns;
pub(crate) use system::{coarse_ns, monotonic_ns, wall_ns, wall_step_ns};
