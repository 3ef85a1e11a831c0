//! The interposer's Rust side: builds the C programs of this folder, runs a program under a script, reads the log of
//! what was injected, and lays a record beside it. For tests and for `cargo xtask truth`.

mod build;
mod compare;
mod injection;
mod log;
mod survey;

pub use build::{Helper, built};
pub use compare::{Comparison, Match, compare};
pub use injection::Injection;
pub use log::{Entry, Kind, Log};
pub use survey::{end_within, survey};
