//! A clock that moves more slowly than it is read.
//!
//! Two readings within one step say nothing of a rate, and the steps of a kernel's tick take milliseconds. But the
//! moment of a step is known as sharply as a reading takes. That a timer's tick comes late now and then, by more than
//! the brackets tell, shows as noise beyond them.

use crate::trace::Bracketed;

/// The moment between two adjacent reads at which the clock moved from the one's value to the other's, as a reading of
/// a clock that has no quantum but its count; `None` where it did not move.
pub fn edge(last: Bracketed, read: Bracketed) -> Option<Bracketed> {
    (last.value != read.value).then_some(Bracketed { before: last.before, ..read })
}
