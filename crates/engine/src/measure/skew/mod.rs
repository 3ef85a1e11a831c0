//! Two threads on two CPUs, and what each of them reads of one clock.
//!
//! * `line` is the cache line that two threads share.
//! * `hops` are the two loops over it: readings passed to and fro, and readings under one lock.
//! * `trace` is what the loops write down: the tightest bounds, and how often a reading went back.
//! * `tournament` pairs CPUs off, so that disjoint pairs run at the same time.
//! * `crew` holds one thread a CPU and runs the rounds, with a limit on every wait.

mod crew;
mod hops;
mod line;
#[cfg(test)]
pub(crate) mod shifted;
#[cfg(test)]
mod tests;
mod tournament;
mod trace;

pub use crew::{Crew, Span};
pub use hops::{Hopper, hopper};
pub use tournament::rounds;
pub use trace::{Bounds, Trace};
