//! Two threads on two CPUs, and what each of them reads of one clock.
//!
//! * `line` is the cache line that two threads share.
//! * `hops` are the two loops over it: readings passed to and fro, and readings under one lock.
//! * `crew` holds one thread a CPU and runs the rounds, with a limit on every wait.

mod crew;
mod hops;
mod line;
#[cfg(test)]
pub(crate) mod shifted;
#[cfg(test)]
mod tests;

pub use crew::{Crew, Span};
pub use hops::{Hopper, hopper};
