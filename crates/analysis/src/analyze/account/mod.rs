//! What one clock's observations come to: taken as they come, in bounded memory, and stated at any time.
//!
//! * `accumulate` takes the observations.
//! * `slow` knows a clock that changes less often than it is read.
//! * `bounds` says between what the clock may move by its witness.
//! * `tick` says how finely it moves.

mod accumulate;
mod bounds;
mod slow;
mod tick;

pub(super) use accumulate::counts;
pub use accumulate::{Account, MOST_PAIRS, MOST_READINGS};
pub(super) use bounds::{SLOWEST_TIMER_NS, Scale};
pub(super) use tick::{Nominal, tick};
