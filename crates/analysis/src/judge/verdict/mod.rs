//! The verdict: which clock for intervals, for wall time, for cheap stamps, and why, in one sentence each.
//!
//! * `whole` puts the three together.
//! * `intervals`, `wall` and `cheap` make a `choice` each.
//! * `words` says of a clock what the sentences have in common.

mod cheap;
mod choice;
mod intervals;
#[cfg(test)]
mod tests;
mod wall;
mod whole;
mod words;

pub(super) use whole::verdict;
