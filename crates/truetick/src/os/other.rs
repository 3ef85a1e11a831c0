//! Elsewhere: `std::time::Instant`, counted from the first reading.

use core::ffi::CStr;
use std::{sync::OnceLock, time::Instant};

use super::env::Name;

pub(crate) fn monotonic_ns() -> Option<u64> {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    u64::try_from(FIRST.get_or_init(Instant::now).elapsed().as_nanos()).ok()
}

pub(crate) fn coarse_ns() -> Option<u64> {
    None
}

pub(crate) fn variable(name: &CStr) -> Option<Name> {
    let value = std::env::var_os(name.to_str().ok()?)?;
    Some(Name::of(value.to_string_lossy().as_bytes()))
}
