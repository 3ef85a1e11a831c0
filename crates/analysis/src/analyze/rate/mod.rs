//! How fast one clock runs by another, from readings of the one between two of the other (docs/method/rate.md).
//!
//! * `estimate` — the rate and its interval
//! * `pieces` — where the clock stepped
//! * `slopes` — the interval by the slopes' own scatter
//! * `bounds` — the rates that brackets, quanta, noise and wander leave possible
//! * `band` — lines that pass between the points of all readings
//! * `pair` — two readings, and the quanta that they are known to
//! * `edges` — readings of a clock that moves more slowly than it is read
//! * `relative` — the rate as the record states it

mod band;
mod bounds;
mod edges;
mod estimate;
mod pair;
mod pieces;
mod relative;
mod slopes;
#[cfg(test)]
mod tests;

pub use edges::edge;
pub use estimate::{possible, rate};
pub use pair::Quanta;
pub use relative::{Scale, relative};
