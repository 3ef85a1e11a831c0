//! Runs loops over clocks and writes down what it saw. No opinion, no threshold of taste, no output.

mod cause;
mod meter;
mod pin;
pub mod skew;
mod timed;
mod witness;

pub use cause::Causes;
pub(crate) use meter::step;
pub use meter::{MOST_READS, Meter, metered, pause};
pub use pin::{Locked, Pinned, allowed_cpus};
pub use witness::Witness;
