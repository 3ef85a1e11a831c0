//! This machine's hardware: its counter and its operating system's clock.

#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"), not(miri)))]
use crate::counter;
use crate::{
    hardware::Hardware,
    os, provider,
    source::{self, Choice, Source},
    wall::Accuracy,
};

/// Whether this kind of CPU has a counter that a program can read. Miri has none.
pub(crate) const HAS_COUNTER: bool =
    cfg!(all(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"), not(miri)));

/// The counter, as cheaply as it can be read; 0 where there is none.
#[inline(always)]
pub(crate) fn relaxed() -> u64 {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    return counter::rdtsc();
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    return counter::cntvct();
    #[cfg(all(target_arch = "riscv64", not(miri)))]
    return counter::rdtime();
    #[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))))]
    0
}

/// The counter, after what was acquired and before any release that follows (on AArch64 as the kernel's own vDSO has it:
/// after what a branch depends on); 0 where there is none.
#[inline(always)]
pub(crate) fn ordered() -> u64 {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    return counter::lfence_rdtsc();
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    return counter::isb_cntvct_load();
    #[cfg(all(target_arch = "riscv64", not(miri)))]
    return counter::fence_rdtime_fence();
    #[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))))]
    0
}

/// The machine that this program runs on.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Native;

impl Hardware for Native {
    #[inline(always)]
    fn relaxed(&self) -> u64 {
        relaxed()
    }
    #[inline(always)]
    fn ordered(&self) -> u64 {
        ordered()
    }
    #[inline]
    fn system_ns(&self) -> Option<u64> {
        os::monotonic_ns()
    }
    fn choose(&self) -> Choice {
        os::errno_kept(|| {
            let choice = source::choose(source::gather(false));
            if choice.source == Source::Counter {
                // What later answers are held against: the first line may come long after, when the kernel has left the
                // counter already.
                let _ = self.still_used();
            }
            choice
        })
    }
    fn period_ns(&self) -> u64 {
        os::period_ns()
    }
    fn step_ns(&self) -> u64 {
        source::system::step_ns()
    }
    fn slew(&self) -> Option<f64> {
        source::system::SLEW
    }
    fn still_used(&self) -> Option<bool> {
        source::system::still_used()
    }
    /// RISC-V's harts agree to within a tick (Zicntr).
    fn skew_ticks(&self) -> u64 {
        u64::from(cfg!(target_arch = "riscv64"))
    }
    #[inline]
    fn wall_ns(&self) -> Option<i64> {
        os::wall_ns()
    }
    fn wall_step_ns(&self) -> u64 {
        os::wall_step_ns()
    }
    fn accuracy(&self) -> Accuracy {
        provider::accuracy()
    }
    fn marker(&self) -> u64 {
        provider::marker()
    }
}
