//! A clock that is wrong on one CPU by a known amount, for tests.

use crate::catalog::clock;
use crate::measure::Witness;

/// The machine's ordered counter, or the kernel's clock; on one CPU it is `by` counts ahead.
#[derive(Clone, Copy)]
pub(crate) struct Shifted {
    pub(crate) witness: Witness,
    pub(crate) on: u32,
    /// Counts; two's complement for a CPU that is behind.
    pub(crate) by: u64,
}

clock!(
    Shifted,
    u64 = 0,
    |self, out| {
        *out = self.witness.stamp().count;
        // SAFETY: sched_getcpu takes nothing and returns a number.
        if unsafe { libc::sched_getcpu() } == self.on as i32 {
            *out = out.wrapping_add(self.by);
        }
        0
    },
    |raw| *raw
);
