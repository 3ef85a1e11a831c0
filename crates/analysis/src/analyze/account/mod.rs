//! What one clock's observations come to: taken as they come, in bounded memory, and stated at any time.
//!
//! * `accumulate` takes the observations.
//! * `batches` are what its cost rests on.
//! * `fineness` keeps what its quantum is found in; `slow` knows a clock that changes less often than it is read.
//! * `bounds` says between what the clock may move by its witness.
//! * `tick` says how finely it moves.

mod accumulate;
mod batches;
mod bounds;
mod fineness;
mod slow;
#[cfg(test)]
mod tests;
mod tick;

pub use accumulate::Account;
pub use batches::MOST_PAIRS;
pub(super) use bounds::{SLOWEST_TIMER_NS, Scale};
pub use fineness::MOST_READINGS;
pub(super) use fineness::{at_most, counts, smallest_step};
pub(super) use tick::{Nominal, Told, entry, tick};
