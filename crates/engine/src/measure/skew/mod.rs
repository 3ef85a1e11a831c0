//! Two threads on two CPUs, and what each of them reads of one clock.
//!
//! * `line` is the cache line that two threads share.
//! * `loops` are the two loops over it: readings passed to and fro, and readings under one lock.
//! * `workers` holds one thread a CPU and runs the rounds, with a limit on every wait.

mod line;
mod loops;
#[cfg(test)]
pub(crate) mod shifted;
#[cfg(test)]
mod tests;
mod workers;

pub use loops::Worker;
pub use workers::{Span, Workers};
