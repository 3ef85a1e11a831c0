//! What the numbers mean. Pure: no clock is read here and no file opened.

pub mod cost;
pub mod faults;
pub mod keeping;
pub mod quantum;
pub mod rate;
pub mod skew;
mod stats;
pub mod thinning;
