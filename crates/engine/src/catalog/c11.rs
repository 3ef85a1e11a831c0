//! The call of the C standard itself (C11, 7.27.2.5), which C++17 has as well: `timespec_get`.

use libc::{c_int, timespec};

use super::clock::clock;
use super::posix::{by_seen_path, forbidden};
use super::{Description, Register, Unit, symbol};
use clockscope_analysis::record::{Kind, Path, Promises};

/// `TIME_UTC`, the only base that the standard demands.
const UTC: c_int = 1;

unsafe extern "C" {
    /// The libc crate lacks it.
    fn timespec_get(time: *mut timespec, base: c_int) -> c_int;
}

/// The calendar time.
#[derive(Clone, Copy)]
struct Utc;

clock!(
    Utc,
    timespec = timespec { tv_sec: 0, tv_nsec: 0 },
    // SAFETY: it writes one timespec, and returns the base, or 0 where it fails.
    |self, out| -c_int::from(unsafe { timespec_get(out, UTC) } != UTC),
    |time| (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
);

pub(super) fn register<R: Register>(register: &mut R) {
    let plain = Description {
        promises: Promises { may_step: true, slewed: true, counts_suspend: true, per_cpu: false },
        interposed_by: symbol::interposer(c"timespec_get"),
        ..Description::new("timespec_get", "timespec_get(TIME_UTC)", Kind::Wall, Unit::Ns(1.0))
    };
    by_seen_path(register, plain, forbidden().map_or(Ok(Utc), Err), Path::Libc);
}
