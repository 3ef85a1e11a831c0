//! The clocks: what can be read here, by which call, and what each promises.
//!
//! A clock is one type with a [`Description`] and an inlined [`Clock::call`]; the loops in `measure` are
//! generic over the type, so that nothing stands between a loop and its reads. To add a clock, write its
//! type in one of the files below and name it in that file's `register`.

mod clock;
mod counters;
mod legacy;
mod path;
mod posix;
mod ptp;
mod symbol;
mod vdso;

pub use clock::{Clock, Description, ReadError, Register, Unit};
#[cfg(target_arch = "x86_64")]
pub(crate) use counters::has_rdtscp;
pub use posix::Gettime;

/// Names every clock to `register`, readable or not, in the order of the survey's table.
pub fn all<R: Register>(register: &mut R) {
    counters::register(register);
    posix::register(register);
    legacy::register(register);
    ptp::register(register);
}

/// The kernel's monotonic clock by the straightest way that works here (vDSO, system call, C library), with
/// the id of its entry: for use as reference or witness, past any library that interposes the C library's.
pub fn kernel_monotonic() -> Option<(&'static str, Gettime)> {
    posix::straightest_monotonic()
}

/// The kernel's wall clock, by the straightest way as [`kernel_monotonic`].
pub fn kernel_wall() -> Option<Gettime> {
    posix::straightest_wall()
}

/// The kernel's clock that counts the machine's sleep, by the straightest way as [`kernel_monotonic`].
pub fn kernel_boottime() -> Option<Gettime> {
    posix::straightest_boottime()
}
