//! Linux on the CPUs whose counter is read: what it says besides its clocks, by system calls without the C library.

mod adjtimex;
mod environ;
pub(crate) mod raw;
mod rest;
mod slept;

pub(crate) use adjtimex::{accuracy, tai_offset};
pub(super) use environ::read as variables;
