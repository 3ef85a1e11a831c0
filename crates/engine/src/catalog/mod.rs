//! The clocks: what can be read here, by which call, and what each promises.
//!
//! A clock is one type with a [`Description`] and an inlined [`Clock::call`]; the loops in `measure` are
//! generic over the type, so that nothing stands between a loop and its reads. ARCHITECTURE.md tells how to add one.

mod clock;
#[cfg(target_arch = "x86_64")]
mod fadt;
pub mod names;
mod path;
mod ptp_offset;
#[cfg(target_arch = "x86_64")]
mod shared_page;
mod symbol;
#[cfg(target_arch = "x86_64")]
mod trial;
mod vdso;
#[cfg(target_arch = "x86_64")]
mod vdso_rate;
mod wrap;

#[cfg(test)]
pub(crate) use clock::clock;
pub use clock::{Clock, ReadError, Register};
use clockscope_analysis::record::Frequency;
pub use clockscope_analysis::trace::{Description, Unit};
pub use counters::counter_readable;
#[cfg(target_arch = "x86_64")]
pub(crate) use counters::has_rdtscp;
pub(crate) use posix::of_number;
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

/// What the pages that hypervisors keep their clocks in say of the time-stamp counter's frequency, or why they don't:
/// `pvclock-page`, `pvclock-whole-khz` (what the kernel keeps of the former) and `hyperv-tsc-page`. Costs some 50 µs.
pub(crate) fn stated_tsc_frequencies() -> Vec<(String, Result<Frequency, String>)> {
    #[cfg(target_arch = "x86_64")]
    return pvclock::stated().into_iter().chain([("hyperv-tsc-page".to_owned(), hyperv::stated())]).collect();
    #[cfg(not(target_arch = "x86_64"))]
    Vec::new()
}

/// The frequency that the kernel's raw clock takes the time-stamp counter to have, by the vDSO's own data, or why they don't
/// tell. Some 50 µs.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub(crate) fn kernels_tsc_frequency() -> (&'static str, Result<Frequency, String>) {
    #[cfg(target_arch = "x86_64")]
    return (vdso_rate::SOURCE, vdso_rate::stated());
    #[cfg(target_arch = "x86")]
    ("vdso-page", Err("the vDSO's data are looked through on x86-64 only".into()))
}
