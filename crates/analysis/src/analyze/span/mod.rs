//! The shortest interval that a clock can time. Method: docs/method/span.md.
//!
//! * `truth` — how long each chain truly was
//! * `curve` — the errors by length
//! * `shortest` — from which length on they stay within a share
//! * `empties` — pairs with nothing in between
//! * `account` — what is kept of a run

mod account;
mod curve;
mod empties;
mod shortest;
#[cfg(test)]
mod tests;
mod truth;

pub use account::Spans;
pub use curve::{Curve, curve};
pub use shortest::{OF_QUANTUM, by_quantum, spans};
