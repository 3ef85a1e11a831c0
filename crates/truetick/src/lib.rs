//! Timestamps as cheap as the CPU's counter and as true as the kernel's clock.
#![cfg_attr(not(test), no_std)]

pub mod counter;
