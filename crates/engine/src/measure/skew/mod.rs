//! Two threads on two CPUs, and what each of them reads of one clock. Method: docs/method/skew.md.

mod line;
mod loops;
mod page;
#[cfg(test)]
pub(crate) mod shifted;
#[cfg(test)]
mod tests;
mod workers;

pub use loops::Worker;
pub use workers::{Span, Workers};
