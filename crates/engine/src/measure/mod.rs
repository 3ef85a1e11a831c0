//! Runs loops over clocks and writes down what it saw. No opinion, no threshold of taste, no output.

mod cause;
mod meter;
mod pin;
pub mod skew;
mod witness;

pub use cause::Causes;
pub use meter::{MOST_READS, Meter, Run, Single, Singles, metered, pause};
pub use pin::{Pinned, allowed_cpus, lock_memory};
pub use witness::{Stamp, Witness};
