//! What truetick_inline.h reads without a call.

use truetick::layout::{Clock1, clock_1};

/// The clock in memory as the header's version 1 knows it, or null: then that header calls the functions.
/// Named by the version that it is of: a header of another one looks for another name.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub(crate) static truetick_clock_1: Option<&'static Clock1> = clock_1();
