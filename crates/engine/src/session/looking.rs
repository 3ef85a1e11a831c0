//! Looks at all clocks, all through a run.

use clockscope_analysis::trace::{Beside, Bracketed, Kind, Observation, Purpose};

use super::reads::{SLOW_NS, Session};

impl Session<'_> {
    /// Looks at all clocks if it is time to. Called between measured windows.
    pub(crate) fn look(&mut self) {
        if self.elapsed_ns() >= self.looks.next_ns {
            self.look_now(false);
        }
    }

    /// Looks at all clocks; `slow`: also at those that take long.
    pub(crate) fn look_now(&mut self, slow: bool) {
        // By the witness: the kernel's clock may stand still for longer than a look takes.
        let begun = self.reader.witness.stamp();
        let seen = self.looks.kernel(self.reader.witness, self.reader.kernel);
        for observation in seen {
            self.source_changed |= matches!(observation, Observation::Clocksource(_));
            self.note(&observation);
        }
        for clock in self.surveyed() {
            if slow || self.read_ns(clock) < SLOW_NS {
                self.look_at(clock);
            }
        }
        let took_ns = self.reader.witness.stamp().since(begun) as f64 * self.analysis.tick().value;
        self.looks.made(took_ns, self.elapsed_ns());
    }

    /// One read of a clock between two of the reference; it is watched as any other read.
    fn look_at(&mut self, clock: usize) {
        let reference = self.analysis.header().reference;
        if clock == reference || self.description(clock).kind == Kind::CpuTime {
            return;
        }
        let witness = self.witness(clock);
        (self.lot.clock, self.lot.purpose, self.lot.third) = (clock, Purpose::Rate, None);
        let before = self.read_alone(reference);
        self.meters[clock].singles(&witness, 1, i64::MAX, &mut self.lot);
        let after = self.read_alone(reference);
        self.note_lot();
        let value = self.lot.reads.first().map(|read| read.value);
        if let (Some(before), Some(value), Some(after)) = (before, value, after) {
            let reading = Bracketed { before, value, after };
            self.note(&Observation::Beside(Beside { clock, reading }));
        }
    }

    /// A clock's value, without stamps around it where it is a witness.
    fn read_alone(&mut self, clock: usize) -> Option<u64> {
        let header = self.analysis.header();
        if clock == header.witness {
            return Some(self.reader.witness.stamp().count);
        }
        if let Some(kernel) = self.reader.kernel.filter(|_| header.kernel == Some(clock)) {
            return Some(kernel.stamp().count);
        }
        self.meters[clock].singles(&self.reader.witness, 1, i64::MAX, &mut self.alone);
        self.alone.reads.first().map(|read| read.value)
    }
}
