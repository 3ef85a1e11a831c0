//! The reads whose differences `clockscope deltas` counts, and some with random pauses for the quantum.

use clockscope_analysis::trace::Role;

use super::phase::Phase;
use super::quantum;
use crate::measure::MOST_READS;
use crate::session::Session;

pub(super) const PHASE: Phase = Phase { until: 1.0, run: all, settles: true };

const QUANTUM: f64 = 0.2;
/// Between rows is looked whether to stop: a row takes this long at most, ns, however slow the clock.
const ROW_NS: f64 = 50e6;

fn all(session: &mut Session, until_ns: f64) {
    for clock in session.surveyed() {
        quantum::one(session, clock, QUANTUM * until_ns);
        let row = ((ROW_NS / session.read_ns(clock)) as u64).clamp(2, MOST_READS as u64);
        let wanted = session.options.reads;
        let mut done: u64 = 0;
        loop {
            let left = wanted.map_or(row, |wanted| wanted.saturating_sub(done));
            let late = wanted.is_none() && done > 0 && session.elapsed_ns() >= until_ns;
            if left == 0 || late || session.stop() {
                break;
            }
            session.anchor_reference(1);
            session.row(clock, Role::Plain, left.min(row) as usize);
            done += left.min(row);
            session.progress("reading");
        }
    }
}
