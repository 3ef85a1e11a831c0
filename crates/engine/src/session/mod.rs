//! What every command measures with: made once a run. `reads` is its heart: it reads clocks and passes on what it sees,
//! to the analysis and to whoever keeps a trace.

mod error;
mod list;
mod looking;
mod looks;
mod observer;
mod open;
mod options;
mod reader;
mod reads;

pub use error::Error;
pub(crate) use list::Readable;
pub use list::{Listed, list};
pub use observer::Observer;
pub(crate) use open::{Choice, open};
pub use options::Options;
pub(crate) use reader::{chosen, pin, ranges, watched};
pub(crate) use reads::{SLOW_NS, Session};
