//! The command line.

mod cli;
mod cpus;
mod duration;

pub use cli::*;
pub use cpus::List as CpuList;
