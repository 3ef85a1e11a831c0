//! Estimators over made-up traces whose truth is known. The noise is a machine's: interruptions, jitter, frequencies
//! that wander.

mod case;
mod changes;
mod cost;
mod faults;
mod frequency;
mod interruptions;
mod noise;
mod quantum;
mod rate;
mod skew;
mod sleeps;
mod span;
mod table;
mod threads;

pub(crate) use table::tables;
