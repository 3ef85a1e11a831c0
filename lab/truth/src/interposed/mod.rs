//! The release program under the interposer: what was injected, beside its record.

mod counts;
mod figures;

pub(crate) use counts::counts;
pub(crate) use figures::figures;
