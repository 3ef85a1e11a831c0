//! The witness: the clock whose stamps stand around each read.

use clockscope_analysis::trace::Stamp;

use crate::catalog::{Clock, Gettime, kernel_monotonic};

/// A clock in the role of the witness.
#[derive(Clone, Copy)]
pub enum Witness {
    /// The CPU's counter, ordered against what stands before and after it. About 20 ns.
    Counter,
    /// The kernel's monotonic clock.
    Kernel(&'static str, Gettime),
}

/// A stamp taken by one kind of witness, so that loops can be generic over it.
pub(super) trait Stamper: Copy {
    fn stamp(&self) -> Stamp;
}

#[derive(Clone, Copy)]
pub(super) struct ByCounter;

impl Stamper for ByCounter {
    #[inline(always)]
    fn stamp(&self) -> Stamp {
        #[cfg(target_arch = "x86_64")]
        let (count, cpu) = {
            let (count, aux) = truetick::counter::rdtscp_lfence();
            // Linux puts node << 12 | cpu into IA32_TSC_AUX (arch/x86/include/asm/segment.h, vdso_encode_cpunode).
            (count, Some(aux & 0xfff))
        };
        #[cfg(target_arch = "aarch64")]
        let (count, cpu) = (truetick::counter::isb_cntvct(), None);
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        let (count, cpu) = (0, None);
        Stamp { count, cpu }
    }
}

impl<C: Clock> Stamper for C {
    #[inline(always)]
    fn stamp(&self) -> Stamp {
        let mut raw = C::room();
        self.call(&mut raw);
        Stamp { count: C::count(&raw), cpu: None }
    }
}

/// Calls `$body` with `$w` being the witness's own type.
macro_rules! with_stamper {
    ($witness:expr, |$w:ident| $body:expr) => {
        match $witness {
            $crate::measure::Witness::Counter => {
                let $w = $crate::measure::witness::ByCounter;
                $body
            }
            $crate::measure::Witness::Kernel(_, $w) => $body,
        }
    };
}
pub(super) use with_stamper;

impl Witness {
    /// The counter, where it can be read with an order; `None` elsewhere.
    pub fn counter() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        let usable = crate::catalog::counter_readable() && crate::catalog::has_rdtscp();
        #[cfg(not(target_arch = "x86_64"))]
        let usable = cfg!(target_arch = "aarch64");
        usable.then_some(Self::Counter)
    }

    /// The kernel's monotonic clock, past anything that interposes the C library's.
    pub fn kernel() -> Option<Self> {
        kernel_monotonic().map(|(id, clock)| Self::Kernel(id, clock))
    }

    /// The id of the catalog's entry that the witness is.
    pub fn id(&self) -> &'static str {
        match self {
            Self::Counter if cfg!(target_arch = "x86_64") => "tscp",
            Self::Counter => "cntvct-fenced",
            Self::Kernel(id, _) => id,
        }
    }

    /// One stamp.
    pub fn stamp(&self) -> Stamp {
        match self {
            Self::Counter => ByCounter.stamp(),
            Self::Kernel(_, clock) => clock.stamp(),
        }
    }
}
