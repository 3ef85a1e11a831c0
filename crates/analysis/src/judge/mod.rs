//! Findings and the verdict, from machine facts and characters. Pure: no clock is read and no file opened here.
//!
//! * `apply` runs every rule and the verdict over one survey.
//! * `facts` is what a rule may ask: the machine, the run, the clocks, and look-ups in them; `figures` what one clock's
//!   figures come to.
//! * `faults` says what counts as a fault, and which are not the clock's own; `apart` the same of skew.
//! * `clocksource` knows the kernel's clocksources by name.
//! * `rules` holds one file a rule or a small family of them, and the list of all.
//! * `verdict` chooses the clocks for intervals, wall time and cheap stamps.
//! * `pages` hands out the page of each code, which `docs/findings` holds.

mod apart;
mod apply;
pub mod clocksource;
mod facts;
mod faults;
mod figures;
#[cfg(test)]
pub(crate) mod made_up;
mod pages;
#[cfg(test)]
mod properties;
mod rules;
mod verdict;

pub use apply::judge;
pub use faults::is_faultless;
pub use pages::{codes, explain};
