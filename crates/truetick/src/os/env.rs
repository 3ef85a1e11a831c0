//! The environment's say: which source, and two hooks for tests.

use core::{
    ffi::CStr,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use super::system;
use crate::discipline::PERIOD_NS;

/// A variable's value, cut to 32 bytes, lower case.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Name {
    bytes: [u8; 32],
    len: usize,
}

impl Name {
    pub(crate) fn of(value: &[u8]) -> Self {
        let mut bytes = [0; 32];
        let len = value.len().min(bytes.len());
        bytes[..len].copy_from_slice(&value[..len]);
        bytes.make_ascii_lowercase();
        Self { bytes, len }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    fn number(&self) -> Option<u64> {
        core::str::from_utf8(self.as_bytes()).ok()?.parse().ok()
    }
}

fn variable(name: &CStr) -> Option<Name> {
    system::variable(name).filter(|value| value.len > 0)
}

/// `TRUETICK_SOURCE`.
pub(crate) fn forced() -> Option<Name> {
    variable(c"TRUETICK_SOURCE")
}

/// The longest that a line is used, ns: [`PERIOD_NS`], or `TRUETICK_REFIT_US` microseconds (1 to 1,000,000).
pub(crate) fn period_ns() -> u64 {
    static KNOWN: AtomicU64 = AtomicU64::new(0);
    let known = KNOWN.load(Relaxed);
    if known != 0 {
        return known;
    }
    let asked = variable(c"TRUETICK_REFIT_US").and_then(|v| v.number());
    let period = asked.filter(|us| (1..=1_000_000).contains(us)).map_or(PERIOD_NS, |us| us * 1000);
    KNOWN.store(period, Relaxed);
    period
}

/// Whether `TRUETICK_TEST_HOOKS` is set to 1.
pub(crate) fn hooks() -> bool {
    variable(c"TRUETICK_TEST_HOOKS").is_some_and(|v| v.as_bytes() == b"1")
}
