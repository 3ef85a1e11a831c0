//! Which clock to stand on, from evidence: gathered per platform, judged by one pure function.

mod choose;
#[cfg(feature = "std")]
mod cpuid;
#[cfg(feature = "std")]
mod explain;
#[cfg(all(feature = "std", any(target_os = "linux", target_os = "android")))]
mod linux;
#[cfg(feature = "std")]
mod platform;

pub use choose::{Choice, Counter, Evidence, Forced, Hypervisor, Kernel, Source, Why, choose};
#[cfg(feature = "std")]
pub(crate) use explain::explain;
#[cfg(feature = "std")]
pub(crate) use platform::gather;
