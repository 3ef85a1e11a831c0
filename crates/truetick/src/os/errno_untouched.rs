//! `errno`, which nothing sets that the choice asks.

/// Does `f`.
pub(crate) fn kept<T>(f: impl FnOnce() -> T) -> T {
    f()
}
