//! The call of the C standard itself (C11, 7.27.2.5), which C++17 has as well: `timespec_get`.

use libc::{c_int, timespec};

use super::clock::clock;
use super::legacy::WALL;
use super::posix::{ZERO, by_seen_path, forbidden, ns};
use super::{Description, Register, Unit, symbol};
use clockscope_analysis::record::{Kind, Path};

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
    timespec = ZERO,
    // SAFETY: it writes one timespec, and returns the base, or 0 where it fails.
    |self, out| -c_int::from(unsafe { timespec_get(out, UTC) } != UTC),
    |time| ns(time)
);

pub(super) fn register<R: Register>(register: &mut R) {
    let plain = Description {
        promises: WALL,
        interposed_by: symbol::interposer(c"timespec_get"),
        ..Description::new("timespec_get", "timespec_get(TIME_UTC)", Kind::Wall, Unit::Ns(1.0))
    };
    by_seen_path(register, plain, forbidden().map_or(Ok(Utc), Err), Path::Libc);
}
