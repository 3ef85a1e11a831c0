//! The clocks: what can be read here, by which call, and what each promises.
//!
//! A clock is one type with a [`Description`] and an inlined [`Clock::call`]; the loops in `measure` are
//! generic over the type, so that nothing stands between a loop and its reads. ARCHITECTURE.md tells how to add one.

mod clock;
#[cfg(target_arch = "x86_64")]
mod fadt;
pub mod names;
pub mod nearest;
mod path;
mod ptp_offset;
#[cfg(target_arch = "x86_64")]
mod shared_page;
mod symbol;
#[cfg(target_arch = "x86_64")]
mod trial;
mod vdso;
mod wrap;

#[cfg(test)]
pub(crate) use clock::clock;
pub use clock::{Clock, ReadError, Register};
pub use clockscope_analysis::trace::{Description, Unit};
pub use counters::counter_readable;
#[cfg(target_arch = "x86_64")]
pub(crate) use counters::has_rdtscp;
pub use posix::{Gettime, kernel_clock, kernel_monotonic};

/// Makes the catalog of its files, in the order of the survey's table: each names its clocks in `register`.
macro_rules! clocks {
    ($($(#[$system:meta])? $file:ident,)*) => {
        $($(#[$system])? mod $file;)*

        /// Names every clock to `register`, readable or not.
        pub fn all<R: Register>(register: &mut R) {
            $($(#[$system])? $file::register(register);)*
        }
    };
}

clocks! {
    counters,
    posix,
    c11,
    legacy,
    library,
    #[cfg(target_arch = "x86_64")]
    pvclock,
    #[cfg(target_arch = "x86_64")]
    hyperv,
    #[cfg(target_arch = "x86_64")]
    acpi_pm,
    #[cfg(not(target_arch = "x86_64"))]
    x86_only,
    hpet,
    ptp,
    rtc,
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
