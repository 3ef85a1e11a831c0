//! What programmers of each language get.

mod traced;

pub use traced::{Traced, traced};
