//! The cost phase: pairs of batches, all clocks in turn.

use super::Observer;
use super::phases::Survey;
use super::subject::Subject;
use crate::measure::MOST_READS;
use clockscope_analysis::analyze::cost::Pair;

/// A batch of n reads takes about this long, ns; one of 2n twice that: far less than a scheduler's slice.
const BATCH_NS: f64 = 9_000.0;
/// Most pairs of batches a clock.
const MOST_PAIRS: usize = 4000;
/// Rounds that are made in any case.
const FEWEST_ROUNDS: usize = 10;
/// A read that takes longer, ns, is not repeated once the time is up, and takes its turn less often before.
pub(super) const SLOW_NS: f64 = 100_000.0;

impl Survey {
    pub(super) fn find_costs(&mut self, until: f64, time: f64, observer: &mut dyn Observer) {
        let mut round = 0;
        // Where time is short or others use the CPU, a few rounds all the same: a figure with a wide interval tells
        // more than none. No clock may hold up the end beyond the first.
        while (self.elapsed_ns() < until || round < FEWEST_ROUNDS)
            && round < MOST_PAIRS
            && !self.stop(observer)
        {
            for at in 0..self.subjects.len() {
                let read_ns = self.subjects[at].read_ns;
                if sits_out(round, read_ns) || (round > 0 && self.elapsed_ns() > until && read_ns > SLOW_NS) {
                    continue;
                }
                self.anchor_subject(at);
                self.batches(at, round);
            }
            self.anchor_reference();
            self.look();
            round += 1;
            if round.is_multiple_of(16) {
                observer.progress(self.elapsed_ns() / time, "cost");
            }
        }
    }

    /// One pair of batches, the shorter first in every other round: whatever the first one finds cold, or
    /// leaves warm, evens out.
    fn batches(&mut self, at: usize, round: usize) {
        let tick = self.timebase.tick().value;
        let subject = &mut self.subjects[at];
        let n = ((BATCH_NS / subject.read_ns) as usize).clamp(1, MOST_READS / 2);
        let timer = self.reader.witness;
        let witness = subject.witness;
        let mut batch = |subject: &mut Subject, reads: usize| {
            subject.meter.row(&timer, &witness, reads, &mut self.run);
            subject.watch_row(&self.run);
            (self.run.failed == 0).then_some(self.run.timed as f64 * tick)
        };
        batch(subject, n.min(8));
        let (once, twice) = if round.is_multiple_of(2) {
            let once = batch(subject, n);
            (once, batch(subject, 2 * n))
        } else {
            let twice = batch(subject, 2 * n);
            (batch(subject, n), twice)
        };
        if let (Some(once_ns), Some(twice_ns)) = (once, twice) {
            subject.pairs.push(Pair { reads: n as u32, once_ns, twice_ns });
        }
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
