//! Runs loops over clocks and writes down what it saw. No opinion, no threshold of taste, no output.

mod cause;
mod continued;
mod counters;
mod meter;
mod pin;
mod proc;
pub mod skew;
pub mod threads;
mod timed;
mod witness;

pub use cause::Causes;
pub use continued::Continued;
pub use counters::Counters;
pub(crate) use meter::step;
pub use meter::{MOST_READS, Meter, metered, pause};
pub use pin::{Locked, Pinned, allowed_cpus};
pub use proc::interrupts_by_name;
pub use witness::Witness;
