//! The date, for people who keep records.

use std::time::{Duration, UNIX_EPOCH};

use crate::catalog::{Clock, kernel_clock};

/// Now, UTC, as RFC 3339 has it, to the second; `None` where the system does not say. (`std::time::SystemTime` would
/// panic where the clock fails.)
pub fn utc() -> Option<String> {
    let since = Duration::from_nanos(kernel_clock(libc::CLOCK_REALTIME)?.read().ok()?);
    Some(humantime::format_rfc3339_seconds(UNIX_EPOCH + since).to_string())
}
