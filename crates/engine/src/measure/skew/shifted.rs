//! A clock that is wrong on one CPU by a known amount, for tests.

use crate::catalog::Clock;
use crate::measure::Witness;

/// The machine's ordered counter, or the kernel's clock; on one CPU it is `by` counts ahead.
#[derive(Clone, Copy)]
pub(crate) struct Shifted {
    pub(crate) witness: Witness,
    /// The CPU.
    pub(crate) on: u32,
    /// Counts; two's complement for a CPU that is behind.
    pub(crate) by: u64,
}

impl Clock for Shifted {
    type Raw = u64;
    fn room() -> u64 {
        0
    }
    fn call(&self, out: &mut u64) -> i32 {
        *out = self.witness.stamp().count;
        // SAFETY: sched_getcpu takes nothing and returns a number.
        if unsafe { libc::sched_getcpu() } == self.on as i32 {
            *out = out.wrapping_add(self.by);
        }
        0
    }
    fn count(raw: &u64) -> u64 {
        *raw
    }
}
