//! Elsewhere: `std::time::Instant`, counted from the first reading.

use std::{
    sync::OnceLock,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

pub(crate) fn monotonic_ns() -> Option<u64> {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    u64::try_from(FIRST.get_or_init(Instant::now).elapsed().as_nanos()).ok()
}

pub(crate) fn coarse_ns() -> Option<u64> {
    None
}

/// UNIX time, ns.
pub(crate) fn wall_ns() -> Option<i64> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    match since {
        Ok(since) => i64::try_from(since.as_nanos()).ok(),
        Err(before) => i64::try_from(before.duration().as_nanos()).ok()?.checked_neg(),
    }
}

/// Taken for nanoseconds.
pub(crate) fn wall_step_ns() -> u64 {
    1
}
