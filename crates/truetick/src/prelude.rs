//! `use truetick::prelude::*;` instead of `use std::time::{Duration, Instant, SystemTime};`.
//!
//! The clock is truetick's; the rest is what `std::time` has, so that a file's other names go on working.

pub use std::time::{Duration, SystemTime, SystemTimeError, TryFromFloatSecsError, UNIX_EPOCH};

pub use crate::{Deadline, Instant, Stopwatch};
