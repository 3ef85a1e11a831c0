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
//! - [`Stopwatch`], [`Deadline`], [`Cycles`], [`coarse()`]: the usual things to do with it;
//! - [`Clock`]: what time is made of here, why, and how far it may be off;
//! - [`timeline::Timeline`]: the same clock on hardware that the caller brings, without `std`.
//!
//! Time is a chain of lines from ticks to nanoseconds, each fitted to the kernel's monotonic clock by whichever
//! reader finds the old one expired. No thread runs in the background, nothing runs before `main`, no reader
//! waits, nothing is allocated. Where the evidence does not speak for the counter, it is the operating system's
//! clock, and [`Clock::explain`] says why. `TRUETICK_SOURCE` in the environment forces a choice: `counter` or
//! `os`.
#![cfg_attr(not(any(test, feature = "std")), no_std)]

pub mod counter;
pub mod discipline;
pub mod hardware;
pub mod line;
pub mod ring;
pub mod source;
pub mod timeline;
pub mod wall;
pub mod word;

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
#[cfg(feature = "std")]
mod native;
#[cfg(feature = "std")]
mod os;
#[cfg(feature = "std")]
pub mod prelude;
#[cfg(feature = "std")]
mod provider;
#[cfg(feature = "std")]
mod stopwatch;
#[cfg(feature = "std")]
mod utc;

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
#[cfg(feature = "std")]
pub use source::{Source, Why};
#[cfg(feature = "std")]
pub use stopwatch::Stopwatch;
#[cfg(feature = "std")]
pub use timeline::{Epoch, Reading};
#[cfg(feature = "std")]
pub use utc::{Bounds, OutOfRange, UtcInstant, UtcReading};
#[cfg(feature = "std")]
pub use wall::{Accuracy, Leap, Unbounded, Within};

/// The examples of docs/truetick/wall.md run as tests.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../../../docs/truetick/wall.md")]
struct WallPage;
