//! Timestamps as cheap as the CPU's counter and as true as the kernel's clock.
//!
//! ```
//! use truetick::Instant; // instead of std::time::Instant
//!
//! let start = Instant::now();
//! let taken = start.elapsed();
//! assert!(taken < std::time::Duration::from_secs(60));
//! ```
//!
//! - [`Instant`]: the drop-in for `std::time::Instant`; [`now`](Instant::now) never goes back on any thread,
//!   [`now_relaxed`](Instant::now_relaxed) costs what the bare counter costs;
//! - [`UtcInstant`]: the wall clock at the same cost, and with bounds on how far it is from UTC;
//! - [`AtomicInstant`], [`Stopwatch`], [`Deadline`], [`Cycles`], [`coarse()`]: the usual things to do with it;
//! - [`Clock`]: what time is made of here, why, and how far it may be off;
//! - [`timeline::Timeline`]: the same clock on hardware that the caller brings, without `std`.
//!
//! Time is a chain of lines from ticks to nanoseconds, each fitted to the kernel's monotonic clock by whichever
//! reader finds the old one expired. No thread runs in the background, nothing runs before `main`, no reader
//! waits, nothing is allocated. Where the evidence does not speak for the counter, it is the operating system's
//! clock, and [`Clock::explain`] says why. `TRUETICK_SOURCE` in the environment forces a choice: `counter` or
//! `os`.
//!
//! # Features
//!
//! - `std` (default): the operating system's clock, the choice of the source and the process-wide clock. Without it:
//!   [`timeline`] alone.
//! - `serde`: [`Instant`] as its nanoseconds; of use on the same system until that is started anew.
//! - `layout`: where the clock keeps its line, for a fast path in another language.
//! - `test-clock`: [`test_clock::TestClock`](https://docs.rs/truetick/latest/truetick/test_clock/), time as a test wants it.
#![cfg_attr(not(any(test, feature = "std")), no_std)]
// Names the feature beside what needs it, on docs.rs.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(all(feature = "std", target_family = "wasm", target_os = "unknown"))]
compile_error!(
    "WebAssembly without a system has neither a counter nor a clock: use truetick with default-features = false, and \
     truetick::timeline::Timeline on the host's clock (performance.now)"
);

mod chain;
#[cfg(feature = "__counter")]
#[doc(hidden)]
pub mod counter;
#[cfg(all(feature = "std", not(feature = "__counter")))]
mod counter;
mod discipline;
mod hardware;
mod line;
mod ring;
mod source;
pub mod timeline;
mod wall;
mod word;

#[cfg(feature = "std")]
mod atomic;
#[cfg(feature = "std")]
mod clock;
#[cfg(feature = "std")]
mod coarse;
#[cfg(feature = "std")]
mod cycles;
#[cfg(feature = "std")]
mod deadline;
#[cfg(feature = "std")]
mod instant;
#[cfg(feature = "layout")]
pub mod layout;
#[cfg(feature = "std")]
mod native;
#[cfg(feature = "std")]
mod os;
#[cfg(feature = "std")]
pub mod prelude;
#[cfg(feature = "std")]
mod provider;
#[cfg(feature = "serde")]
mod serialize;
#[cfg(feature = "std")]
mod stopwatch;
#[cfg(feature = "test-clock")]
pub mod test_clock;
#[cfg(feature = "std")]
mod utc;

#[cfg(feature = "std")]
pub use atomic::AtomicInstant;
pub use chain::{Epoch, Reading};
#[cfg(feature = "std")]
pub use clock::Clock;
#[cfg(feature = "std")]
pub use coarse::coarse;
#[cfg(feature = "std")]
pub use cycles::{Begun, Cycles};
#[cfg(feature = "std")]
pub use deadline::Deadline;
#[cfg(feature = "std")]
pub use instant::Instant;
#[cfg(feature = "std")]
pub use provider::{AlreadyNamed, ClockBound, Kernel, Provider, VmClock};
pub use source::{Choice, Source, Why};
#[cfg(feature = "std")]
pub use stopwatch::Stopwatch;
#[cfg(feature = "std")]
pub use utc::{Bounds, OutOfRange, UtcInstant, UtcReading};
pub use wall::{Accuracy, Leap, Unbounded, Within};

/// The README's examples run as tests.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests;
