//! How the system's clocks were kept while a run went on: whether they were set, whether the machine slept, and which
//! of the faults seen that accounts for.

mod explain;
mod leap;
mod offset;
#[cfg(test)]
mod tests;

pub use explain::{CLOCK_SET, Kept, LEAP_SECOND, SUSPEND, explain};
pub use leap::{Leap, leap};
pub use offset::{Change, Moment, Offset};
