//! What is asked on Linux alone.

/// Nothing forbids a process to read the counter here.
pub(crate) fn forbidden() -> bool {
    false
}

/// Not looked at here.
pub(crate) fn in_user_space() -> Option<bool> {
    None
}

/// Not looked at here.
pub(crate) fn still_used() -> Option<bool> {
    None
}

/// It has no name here.
pub(crate) fn clocksource(_: &mut [u8; 64]) -> usize {
    0
}
