//! The contract between `cargo xtask lab` and process 1 of its guests: what the guest is to do, what it writes
//! down of it, and how both get out of it.

pub mod frame;
pub mod notes;
pub mod plan;
