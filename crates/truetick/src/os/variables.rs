//! The environment, through `std::env`: on Windows, where nothing interrupts a thread in the middle of its lock (and
//! under Miri).

use crate::os::name::Name;

/// The values of variables; `None` for one that is not set.
pub(in crate::os) fn read<const N: usize>(names: [&str; N]) -> [Option<Name>; N] {
    names.map(|name| std::env::var_os(name).map(|value| Name::of(value.as_encoded_bytes())))
}
