//! How fast one clock runs by another.

mod lags;
mod pair;
mod relative;
mod segments;
mod whole;
#[cfg(test)]
mod whole_tests;

pub use lags::rate;

pub use relative::{Scale, relative};
pub use whole::whole;
