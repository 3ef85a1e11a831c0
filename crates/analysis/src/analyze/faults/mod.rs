//! Clock faults, judged against the witness's bounds; docs/method/faults.md tells how.
//!
//! A [`Watch`] is fed every read that is made of a clock, in the order of the reads, as rows: the witness's stamp
//! before, one or many values, the stamp after. It keeps counts, not reads, so that it may run for ever.
//!
//! * `terms` — what a watch has to know of clock and witness; a row of reads
//! * `watch` — the watch: the order of the values, which needs no bounds
//! * `waiting` — reads made before the terms are known
//! * `row` — a row cut where the clock may have left its line
//! * `line` — the line that a clock runs on, and what leaves it
//! * `stall` — runs of equal readings
//! * `tally`, `kept` — what was found: the counts, and the events one by one
//! * `third` — whether a third clock bears the witness out

mod kept;
mod line;
mod row;
mod stall;
mod tally;
mod terms;
#[cfg(test)]
mod tests;
mod third;
mod waiting;
mod watch;

pub use tally::Found;
pub use terms::{Reads, Terms};
pub use third::{KERNEL_SLEW, agree};
pub use watch::Watch;
