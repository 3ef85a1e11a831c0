//! The cost phase: pairs of batches, all clocks in turn. Method: docs/method/cost.md.

use clockscope_analysis::analyze::MOST_PAIRS;
use clockscope_analysis::trace::Role;

use super::phase::Phase;
use crate::measure::MOST_READS;
use crate::session::{SLOW_NS, Session};

pub(super) const PHASE: Phase = Phase { until: 0.58, run: all, settles: true };

/// A batch of n reads takes about this long, ns, where a row holds as many; one of 2n twice that: far less than a
/// scheduler's slice.
const BATCH_NS: f64 = 9_000.0;
const FEWEST_ROUNDS: usize = 10;
/// Reads that warm the code and the clock's data up.
const WARM_UP: usize = 8;

fn all(session: &mut Session, until_ns: f64) {
    let clocks = session.surveyed();
    let mut round = 0;
    // Where time is short or others use the CPU, a few rounds all the same: a figure with a wide interval tells
    // more than none. No clock may hold up the end beyond the first.
    while (session.elapsed_ns() < until_ns || round < FEWEST_ROUNDS) && round < MOST_PAIRS && !session.stop() {
        for &clock in &clocks {
            let read_ns = session.read_ns(clock);
            let late = round > 0 && session.elapsed_ns() > until_ns && read_ns > SLOW_NS;
            if !late && !sits_out(round, read_ns) {
                session.anchor(clock);
                pair(session, clock, round);
            }
        }
        session.anchor_reference(1);
        session.look();
        round += 1;
        if round.is_multiple_of(16) {
            session.progress("cost");
        }
    }
}

/// One pair of batches, the shorter first in every other round: whatever the first one finds cold, or leaves warm, evens
/// out.
fn pair(session: &mut Session, clock: usize, round: usize) {
    let n = ((BATCH_NS / session.read_ns(clock)) as usize).clamp(1, MOST_READS / 2);
    session.row(clock, Role::Plain, n.min(WARM_UP));
    let mut both = [(Role::Once, n), (Role::Twice, 2 * n)];
    if !round.is_multiple_of(2) {
        both.reverse();
    }
    for (role, reads) in both {
        session.row(clock, role, reads);
    }
}

/// Whether a clock so slow sits this round out: one device that takes milliseconds must not take all the others'
/// rounds.
fn sits_out(round: usize, read_ns: f64) -> bool {
    let every = (read_ns / SLOW_NS).clamp(1.0, MOST_PAIRS as f64) as usize;
    !round.is_multiple_of(every)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slower_the_rarer_but_each_once() {
        let turns = |read_ns| (0..1000).filter(|round| !sits_out(*round, read_ns)).count();
        assert_eq!([1.0, 9e4, 1e6, 5e6, 1e9, f64::INFINITY].map(turns), [1000, 1000, 100, 20, 1, 1]);
    }
}
