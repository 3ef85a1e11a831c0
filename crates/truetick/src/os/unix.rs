//! POSIX systems whose clocks' numbers are known: `clock_gettime`, through libc's own symbol (so through the vDSO where there is one).

use core::ffi::{c_int, c_long};

#[cfg(target_pointer_width = "64")]
type Seconds = i64;
/// The symbol named `clock_gettime` keeps the old layout on 32-bit Linux; the monotonic clock fits for 68 years.
#[cfg(not(target_pointer_width = "64"))]
type Seconds = c_long;

#[repr(C)]
struct Timespec {
    seconds: Seconds,
    nanoseconds: c_long,
}

unsafe extern "C" {
    // The bare name is the one with a 32-bit time there.
    #[cfg_attr(target_os = "netbsd", link_name = "__clock_gettime50")]
    fn clock_gettime(clock: c_int, time: *mut Timespec) -> c_int;
}

// The numbers that each system's <time.h> gives them. On Apple's systems CLOCK_UPTIME_RAW is what
// std::time::Instant reads.
#[cfg(any(target_os = "linux", target_os = "android"))]
const CLOCKS: (c_int, Option<c_int>) = (1, Some(6));
#[cfg(target_vendor = "apple")]
const CLOCKS: (c_int, Option<c_int>) = (8, Some(9));
#[cfg(target_os = "freebsd")]
const CLOCKS: (c_int, Option<c_int>) = (4, Some(12));
#[cfg(target_os = "dragonfly")]
const CLOCKS: (c_int, Option<c_int>) = (4, Some(12));
#[cfg(any(target_os = "illumos", target_os = "solaris"))]
const CLOCKS: (c_int, Option<c_int>) = (4, None);
#[cfg(any(target_os = "netbsd", target_os = "openbsd"))]
const CLOCKS: (c_int, Option<c_int>) = (3, None);

/// CLOCK_REALTIME's number, the same everywhere.
const REALTIME: c_int = 0;

#[inline]
fn timespec(clock: c_int) -> Option<Timespec> {
    let mut time = Timespec { seconds: 0, nanoseconds: 0 };
    // SAFETY: writes one timespec to the address given.
    let rc = unsafe { clock_gettime(clock, &raw mut time) };
    (rc == 0).then_some(time)
}

#[inline]
fn read(clock: c_int) -> Option<u64> {
    let time = timespec(clock)?;
    let seconds = u64::try_from(time.seconds).ok()?;
    Some(seconds.checked_mul(1_000_000_000)? + time.nanoseconds as u64)
}

#[inline]
pub(crate) fn monotonic_ns() -> Option<u64> {
    read(CLOCKS.0)
}

/// The monotonic clock and what the machine has slept, ns (CLOCK_BOOTTIME).
#[cfg(any(target_os = "linux", target_os = "android"))]
#[allow(dead_code, reason = "asked for where the kernel's word on its wall clock is")]
pub(crate) fn boottime_ns() -> Option<u64> {
    read(7)
}

/// UNIX time, ns.
#[inline]
pub(crate) fn wall_ns() -> Option<i64> {
    let time = timespec(REALTIME)?;
    // On 32-bit Linux the seconds are of 32 bits.
    #[allow(clippy::useless_conversion, reason = "on the other systems they are of 64")]
    i64::from(time.seconds).checked_mul(1_000_000_000)?.checked_add(i64::from(time.nanoseconds))
}

/// It shows nanoseconds.
pub(crate) fn wall_step_ns() -> u64 {
    1
}

#[inline]
pub(crate) fn coarse_ns() -> Option<u64> {
    read(CLOCKS.1?)
}
