//! What a trace means. Pure: no clock is read here and no file opened.
//!
//! * `analysis` takes a trace, observation by observation.
//! * `account` is what one clock's observations come to; it is made of `cost`, `quantum`, `rate` and `faults`.
//! * `timebase` says what a count of the witness is worth, `timers` how coarse the clocks are that others are measured by.
//! * `attribution` says where a time went in which a thread stood still.
//! * `course` is how the kernel's clock ran beside the witness.
//! * `frequency` is what everybody says of the counter's frequency, side by side.
//! * `span` is how short an interval a clock can time.
//! * `skew` is what CPUs found of each other's readings; `discipline` and `keeping` how the kernel kept its clocks.
//! * `interruptions` is how often CPUs that were watched were taken away, and why.
//! * `sleeps` is what sleeping and timers deliver.
//! * `threads` is what threads saw that read a clock at once.
//! * `monitor` is what happened to clocks that were watched.
//! * `samples` is what readings tell that another program wrote.
//! * `skew` is what CPUs found of each other's readings; `discipline` and `keeping` how the kernel kept its clocks.
//! * `beneath` finds the system's clock that another clock's readings come from.
//! * `changes` finds steps and slews in a clock's offset as it is watched; `stability` is how stable a clock is over longer and longer times.
//! * `clocks` and `run` state what all of it comes to.

mod account;
mod adjacent;
mod analysis;
pub mod attribution;
pub mod beneath;
pub mod changes;
mod clocks;
pub mod cost;
mod course;
mod differences;
mod discipline;
pub mod faults;
pub mod frequency;
pub mod interruptions;
pub mod keeping;
mod lengths;
mod monitor;
pub mod quantum;
pub mod rate;
mod run;
pub mod samples;
mod series;
pub mod skew;
pub mod sleeps;
pub mod span;
pub mod stability;
mod stats;
pub mod thinning;
mod threads;
mod timebase;
mod timers;

pub use account::{Account, MOST_PAIRS, MOST_READINGS};
pub use analysis::Analysis;
pub use timebase::READS_OF_ONE_STEP;
