//! What can be asked for.

mod common;
mod cpus;
mod duration;

pub use common::*;
pub(crate) use cpus::parse as cpu_list;
