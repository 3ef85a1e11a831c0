//! Elsewhere: `std::time::Instant`, counted from the first reading.

use std::{sync::OnceLock, time::Instant};

pub(crate) fn monotonic_ns() -> Option<u64> {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    u64::try_from(FIRST.get_or_init(Instant::now).elapsed().as_nanos()).ok()
}

pub(crate) fn coarse_ns() -> Option<u64> {
    None
}
