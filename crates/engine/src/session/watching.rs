//! Single reads for faults, and what stopped the reader.

use clockscope_analysis::trace::{Bracketed, Gap, Observation, Purpose, Stamp};

use super::reads::Session;
use crate::measure::Witness;

/// What stands between two lots of single reads (a look, the search for a cause) takes less than this, ns: a longer gap
/// is a stop of the whole machine.
const ABSENT_NS: f64 = 50e6;

impl Session<'_> {
    /// Single reads for faults, each between stamps, up to `reads` of them or to the first gap, whose cause is looked
    /// for. Where the counter is the witness the kernel's clock is read before them and after them.
    pub(crate) fn watch(&mut self, clock: usize, reads: usize) {
        let witness = self.witness(clock);
        let third = self.reader.kernel.filter(|_| matches!(witness, Witness::Counter));
        let gap = (self.account(clock).gap_ns() / self.witness_ns(clock)) as i64;
        let before = third.map(|third| bracketed(&third, &witness));
        self.lot.third = None;
        (self.lot.clock, self.lot.purpose) = (clock, Purpose::Faults);
        self.meters[clock].singles(&witness, reads, gap, &mut self.lot);
        let after = third.map(|third| bracketed(&third, &witness));
        self.lot.third = before.zip(after).map(|(before, after)| [before, after]);
        let gap = self.lot.gap.map(|(from, to)| (from, to, self.causes.look(from.cpu != to.cpu)));
        self.note_lot();
        if let Some((from, to, cause)) = gap {
            self.note(&Observation::Gap(Gap { clock, from, to, cause: cause.into(), between_lots: false }));
        }
    }

    /// A stop of the whole machine between two lots is as much an interruption as one within a lot.
    pub(crate) fn absence(&mut self, clock: usize, from: Stamp) -> Stamp {
        let to = self.witness(clock).stamp();
        if to.since(from) as f64 * self.witness_ns(clock) > ABSENT_NS {
            let cause = self.causes.look(from.cpu != to.cpu).into();
            self.note(&Observation::Gap(Gap { clock, from, to, cause, between_lots: true }));
        }
        to
    }
}

/// A reading of a third clock: the witness before it, its value, the witness after it.
fn bracketed(third: &Witness, witness: &Witness) -> Bracketed {
    let (before, value, after) = (witness.stamp(), third.stamp(), witness.stamp());
    Bracketed { before: before.count, value: value.count, after: after.count }
}
