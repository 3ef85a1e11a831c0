//! The clocks: what can be read here, by which call, and what each promises.
//!
//! A clock is one type with a [`Description`] and an inlined [`Clock::call`]; the loops in `measure` are
//! generic over the type, so that nothing stands between a loop and its reads. To add a clock, write its
//! type in one of the files below and name it in that file's `register`.

#[cfg(target_arch = "x86_64")]
mod acpi_pm;
mod clock;
mod counters;
#[cfg(target_arch = "x86_64")]
mod fadt;
mod hpet;
#[cfg(target_arch = "x86_64")]
mod hyperv;
mod legacy;
pub mod nearest;
mod path;
mod permission;
mod posix;
mod ptp;
mod ptp_offset;
#[cfg(target_arch = "x86_64")]
mod pvclock;
mod rtc;
#[cfg(target_arch = "x86_64")]
mod shared_page;
mod symbol;
#[cfg(target_arch = "x86_64")]
mod trial;
mod vdso;
mod wrap;
#[cfg(not(target_arch = "x86_64"))]
mod x86_only;

pub use clock::{Clock, ReadError, Register};
pub use clockscope_analysis::trace::{Description, Unit};
#[cfg(target_arch = "x86_64")]
pub(crate) use counters::has_rdtscp;
pub use permission::counter_readable;
pub use posix::{Gettime, kernel_boottime, kernel_monotonic, kernel_wall};

/// Names every clock to `register`, readable or not, in the order of the survey's table.
pub fn all<R: Register>(register: &mut R) {
    counters::register(register);
    posix::register(register);
    legacy::register(register);
    #[cfg(target_arch = "x86_64")]
    {
        pvclock::register(register);
        hyperv::register(register);
        acpi_pm::register(register);
    }
    #[cfg(not(target_arch = "x86_64"))]
    x86_only::register(register);
    hpet::register(register);
    ptp::register(register);
    rtc::register(register);
}

/// What the pages that hypervisors keep their clocks in say of the time-stamp counter's frequency: `pvclock-page`,
/// `pvclock-whole-khz` (what the kernel keeps of the former) and `hyperv-tsc-page`. Empty where there is no such
/// page. Costs some 50 µs.
pub(crate) fn stated_tsc_frequencies() -> Vec<clockscope_analysis::record::Frequency> {
    #[cfg(target_arch = "x86_64")]
    return pvclock::stated().into_iter().chain(hyperv::stated()).collect();
    #[cfg(not(target_arch = "x86_64"))]
    Vec::new()
}
