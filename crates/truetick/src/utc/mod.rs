//! UNIX time at the counter's cost, with its bounds.

mod bounds;
mod convert;
mod instant;
mod text;

pub use bounds::{Bounds, UtcReading};
pub use instant::{OutOfRange, UtcInstant};
