//! Tests of the clock as a whole, on hardware of their own.

#[cfg(not(loom))]
mod bracket;
#[cfg(not(any(loom, miri)))]
mod jump;
#[cfg(loom)]
mod loom_protocol;
#[cfg(not(any(loom, miri)))]
mod model;
#[cfg(not(any(loom, miri)))]
mod sim;
#[cfg(not(loom))]
mod threads;
