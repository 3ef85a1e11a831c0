//! The environment, through `std::env`, which shares a lock with `std::env::set_var`. So here the first reading
//! is not for a signal handler.

use super::name::Name;

/// The values of three variables; `None` for one that is not set.
pub(super) fn read(names: [&str; 3]) -> [Option<Name>; 3] {
    names.map(|name| std::env::var_os(name).map(|value| Name::of(value.as_encoded_bytes())))
}
