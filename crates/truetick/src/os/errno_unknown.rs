//! Elsewhere nothing that the choice asks sets `errno`, or where it lies is not known (DragonFly).

/// Does `f`.
pub(crate) fn kept<T>(f: impl FnOnce() -> T) -> T {
    f()
}
