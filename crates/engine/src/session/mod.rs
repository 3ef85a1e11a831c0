//! What every command measures with: made once a run.
//!
//! * `options` — what to measure and how; `error` — why that can't be done; `observer` — who watches
//! * `reader` — the thread that reads: its CPU, its memory, its witnesses
//! * `list` — the catalog as a list, with a loop for each clock
//! * `open` — chooses clocks, reference and witness, and writes the trace's header
//! * `reads` — reads clocks and passes on what it sees, to the analysis and to whoever keeps a trace
//! * `watching` — single reads for faults, and what stopped the reader
//! * `looks`, `looking` — looks now and then at how all clocks are kept: when, and how

mod error;
mod list;
mod looking;
mod looks;
mod observer;
mod open;
mod options;
mod reader;
mod reads;
mod watching;

pub use error::Error;
pub(crate) use list::Readable;
pub use list::{Listed, list};
pub use observer::Observer;
pub(crate) use open::{Choice, open};
pub use options::Options;
pub(crate) use reader::{chosen, ranges};
pub(crate) use reads::{SLOW_NS, Session};
