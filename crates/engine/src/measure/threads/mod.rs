//! Threads that read one clock at once, a start and a stop at a time. Method: docs/method/threads.md.

mod crowd;
mod evidence;
mod loops;
mod sheet;
#[cfg(test)]
mod tests;

pub use crowd::{Asked, Member, crowd};
pub use loops::{Pairing, Terms};
