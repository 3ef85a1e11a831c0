//! What was seen, and nothing of what it means: plain data that can be written down and read back.
//!
//! * `description` — the clocks, as the catalog describes them
//! * `machine` — facts about the machine
//! * `reading` — one bracketed reading
//! * `exchange` — what two CPUs' threads found of each other's readings

mod description;
mod exchange;
pub mod machine;
mod reading;

pub use description::{Description, Kind, Path, Promises, Unit};
pub use exchange::{Bounds, Exchange};
pub use reading::{Bracketed, Stamp};
