//! Which clock to stand on, from evidence: gathered per system, judged by one pure function.
//!
//! Each system's file says of its clock what the others' say of theirs: `kernel` (its verdict on the counter),
//! `forbidden`, `in_user_space`, `still_used`, `step_ns`, `SLEW` and `clocksource` (a name, for people).

mod choice;
#[cfg(feature = "std")]
mod choose;
#[cfg(feature = "std")]
mod cpuid;
#[cfg(feature = "std")]
mod explain;
#[cfg(feature = "std")]
mod gather;
#[cfg(feature = "std")]
#[cfg_attr(
    all(
        any(target_os = "linux", target_os = "android"),
        target_pointer_width = "64",
        any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"),
        not(miri)
    ),
    path = "linux.rs"
)]
#[cfg_attr(target_vendor = "apple", path = "apple.rs")]
#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(any(target_os = "freebsd", target_os = "netbsd", target_os = "dragonfly"), path = "bsd.rs")]
pub(crate) mod system;

pub use choice::{Choice, Source, Why};
#[cfg(feature = "std")]
pub(crate) use choose::{Forced, choose};
#[cfg(feature = "std")]
pub(crate) use explain::explain;
#[cfg(feature = "std")]
pub(crate) use gather::gather;
