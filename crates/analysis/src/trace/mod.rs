//! What was seen, and nothing of what it means: plain data that can be written down and read back.
//!
//! * `header` — what is known before anything is measured
//! * `description` — the clocks, as the catalog describes them
//! * `machine` — facts about the machine
//! * `observation` — the things that can be seen, one after the other
//! * `reading` — readings: bracketed, in rows, in lots of single reads
//! * `counted` — what the kernel counts for a thread: evidence for why it stood still
//! * `exchange` — what two CPUs' threads found of each other's readings
//! * `timed` — work of known length, timed by a clock
//! * `sleeps` — what was asked for of sleeps and timers, and how long they took
//! * `vigil` — what a thread saw that did nothing but read the witness on one CPU
//! * `pairs`, `tally` — what threads saw that timed nothing at the same time, and how often each length
//! * `told` — what system calls told a program that was watched
//! * `steps`, `wire` — how values and lots of single reads are written down in little room
//!
//! A trace is a [`Header`] and any number of [`Observation`]s. A live run, a file of an earlier one and a made-up truth are
//! the same thing to [`analyze`](crate::analyze).

mod counted;
mod description;
mod exchange;
mod header;
pub mod machine;
mod observation;
mod pairs;
mod reading;
mod sleeps;
mod steps;
pub mod tally;
mod timed;
mod told;
mod vigil;
mod wire;

pub use counted::Counted;
pub use description::{Description, Kind, Path, Promises, Unit};
pub use exchange::{Bounds, Exchange, Mark, Visit};
pub use header::{Header, Moment, TRACE_SCHEMA, Task, Tool, Unavailable};
pub use observation::{
    Beside, ClocksourceChange, Compared, Disruption, Distance, End, Gap, Look, Observation, Played, Polled,
};
pub use pairs::{LongPairs, Paired, Pairs};
pub use reading::{Bracketed, Purpose, Role, Row, Singles, Stamp};
pub use sleeps::{Slack, SleepFacts, Sleeps, Way};
pub use tally::Tally;
pub use timed::{Chain, Empties, Timed};
pub use told::Told;
pub use vigil::{Absence, Absences, Noticing, Vigil};
