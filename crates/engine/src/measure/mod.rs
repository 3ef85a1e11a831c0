//! Runs loops over clocks and writes down what it saw. No opinion, no threshold of taste, no output.

mod cause;
mod continued;
mod counters;
mod files;
mod meter;
mod pin;
mod policy;
mod proc;
mod raised;
pub mod skew;
pub mod threads;
mod timed;
mod witness;

pub use cause::Causes;
pub(crate) use meter::step;
pub mod sleeps;
pub mod vigil;

pub use continued::Continued;
pub use counters::Counters;
pub use files::ManyFiles;
pub use meter::{MOST_READS, Meter, metered, pause};
pub use pin::{Locked, Pinned, allowed_cpus};
pub use proc::interrupts_by_name;
pub use raised::Raised;
pub use witness::Witness;
