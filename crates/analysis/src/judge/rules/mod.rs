//! The rules, one file a rule or a small family of them.
//!
//! * `list` names them all; a new rule is a file here, a line there and a page in `docs/findings`.
//! * `rule` is what a rule is and what it drafts.
//! * `lost_vdso` CS001, `slow_source` CS002, `tsc_unfit` CS003, `coarse_quantum` CS004, `faults` CS005 to CS007,
//!   `needless_coarse` CS008, `unsynchronised` CS009, `unwatched_tsc` CS010, `guest` CS011, `disturbed` CS012 and
//!   CS015, `interposed` CS013, `failed_reads` CS014, `skew` CS016, `slept` CS017, `clock_set` CS018, `slewed` CS019,
//!   `clocksource_changed` CS020.

mod clock_set;
mod clocksource_changed;
mod coarse_quantum;
mod disturbed;
mod failed_reads;
mod faults;
mod guest;
mod interposed;
mod list;
mod lost_vdso;
mod needless_coarse;
mod rule;
mod skew;
mod slept;
mod slewed;
mod slow_source;
mod tsc_unfit;
mod unsynchronised;
mod unwatched_tsc;

pub(super) use list::RULES;
