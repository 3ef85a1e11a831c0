//! The date, for people who keep records.

use std::time::{Duration, UNIX_EPOCH};

/// Latest time that is shown, s: the end of the year 9999.
const LATEST_S: u64 = 253_402_300_799;

/// Now, UTC, as RFC 3339 has it, to the second; `None` where the system does not say. (`std::time::SystemTime` would
/// panic where the clock fails.)
pub fn utc() -> Option<String> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: it writes one timespec.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_REALTIME, &raw mut time) } != 0;
    let seconds = u64::try_from(time.tv_sec).ok().filter(|seconds| !failed && *seconds <= LATEST_S)?;
    Some(humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(seconds)).to_string())
}
