//! Runs: lists of phases over one session.
//!
//! * `run` — the lists, and how one is gone through
//! * `calibration`, `quantum`, `cost`, `skew`, `faults`, `slow`, `differences` — a file a phase, with its loop
//! * `choose` — which clocks a command is about
//! * `compare` — one clock between several CPUs

mod calibration;
mod choose;
mod compare;
mod cost;
mod differences;
mod faults;
mod phase;
mod quantum;
mod run;
mod skew;
mod slow;
#[cfg(test)]
mod tests;

pub use run::{DELTAS, Plan, SKEW, SURVEY, run};
