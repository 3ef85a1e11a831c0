//! The command line.

mod cli;
mod duration;

pub use cli::*;
