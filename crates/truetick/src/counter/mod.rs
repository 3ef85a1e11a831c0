//! The CPU's own time counter: one function an instruction sequence, nothing else.
//!
//! Values are raw ticks. What a tick is worth, and whether the counter can be trusted at all, is for the
//! layers above to find out. Every function here is one `asm!` block, costs what the instruction costs
//! (about 10 to 40 ns) and never fails; on a machine where the operating system forbids the instruction
//! (`prctl(PR_SET_TSC)` on Linux) it raises the signal that the system promised for that.
#![cfg_attr(not(feature = "__counter"), allow(unreachable_pub, reason = "seen from outside by that feature alone"))]

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "riscv64")]
mod riscv64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
pub use aarch64::*;
#[cfg(target_arch = "riscv64")]
pub use riscv64::*;
#[cfg(target_arch = "x86_64")]
pub use x86_64::*;
