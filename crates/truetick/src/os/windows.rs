//! Windows: QueryPerformanceCounter, GetSystemTimePreciseAsFileTime.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

#[link(name = "kernel32")]
unsafe extern "system" {
    fn QueryPerformanceCounter(count: *mut i64) -> i32;
    fn QueryPerformanceFrequency(frequency: *mut i64) -> i32;
    fn GetSystemTimePreciseAsFileTime(time: *mut [u32; 2]);
}

/// From 1601, where Windows' wall clock begins, to 1970, in its units of 100 ns.
const TO_1970: i64 = 116_444_736_000_000_000;

/// UNIX time, ns, in steps of 100.
pub(crate) fn wall_ns() -> Option<i64> {
    let mut time = [0; 2];
    // SAFETY: writes two words of 32 bits, the lower one first.
    unsafe { GetSystemTimePreciseAsFileTime(&raw mut time) };
    let since_1601 = i64::from(time[1]) << 32 | i64::from(time[0]);
    since_1601.checked_sub(TO_1970)?.checked_mul(100)
}

/// How far it goes in one step, ns.
pub(crate) fn wall_step_ns() -> u64 {
    100
}

/// Counts a second, fixed at boot; 0: not asked yet.
static FREQUENCY: AtomicU64 = AtomicU64::new(0);

fn frequency() -> Option<u64> {
    let known = FREQUENCY.load(Relaxed);
    if known != 0 {
        return Some(known);
    }
    let mut frequency = 0;
    // SAFETY: writes one integer to the address given.
    let ok = unsafe { QueryPerformanceFrequency(&raw mut frequency) } != 0;
    let frequency = u64::try_from(frequency).ok().filter(|&f| ok && f > 0)?;
    FREQUENCY.store(frequency, Relaxed);
    Some(frequency)
}

pub(crate) fn monotonic_ns() -> Option<u64> {
    let frequency = frequency()?;
    let mut count = 0;
    // SAFETY: writes one integer to the address given.
    let ok = unsafe { QueryPerformanceCounter(&raw mut count) } != 0;
    let count = u64::try_from(count).ok().filter(|_| ok)?;
    let (seconds, rest) = (count / frequency, count % frequency);
    // The rest is below the frequency, which is far below 2^34: no overflow.
    Some(seconds.checked_mul(1_000_000_000)? + rest * 1_000_000_000 / frequency)
}

/// How far QueryPerformanceCounter goes in one step, ns.
pub(crate) fn step_ns() -> u64 {
    frequency().map_or(1, |frequency| 1_000_000_000u64.div_ceil(frequency))
}

/// Windows' coarse clocks count from another start.
pub(crate) fn coarse_ns() -> Option<u64> {
    None
}
