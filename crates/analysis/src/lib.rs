//! What readings of clocks mean: data in, a record out. No clock is read here, no file opened, no system asked, so that
//! the same trace gives the same record on any machine.
//!
//! * [`trace`] is what was seen.
//! * [`analyze`] makes each clock's character of it.
//! * [`judge`] makes findings and a verdict of the characters and the machine's facts.
//! * [`conclude`] goes the whole way from a trace to what its task asks for.
//! * [`record`](mod@record) is what comes out, for people and programs.
//! * [`compare`](mod@compare) tells what changed between records.
//! * [`samples`] reads what other programs wrote of clocks: text, CSV, 64-bit numbers.
//! * [`text`] writes figures with their units.

#![forbid(unsafe_code)]

pub mod analyze;
pub mod compare;
mod conclude;
pub mod judge;
pub mod record;
mod resolution;
pub mod samples;
pub mod text;
pub mod trace;

pub use conclude::{Conclusion, conclude, interruption_report, record, skew_report, timer_report};
pub use resolution::Resolution;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/trace.md")]
struct Documented;
