//! Looks at all clocks, all through a run.

use std::borrow::Cow;

use clockscope_analysis::record::Ntp;
use clockscope_analysis::trace::{Beside, Bracketed, Gap, Kind, Observation, Polled, Purpose, Singles};

use super::reads::{SLOW_NS, Session};
use crate::machine;

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
        self.look_at_kernel();
        for clock in self.surveyed() {
            if slow || self.read_ns(clock) < SLOW_NS {
                self.look_at(clock);
            }
        }
        let took_ns = self.reader.witness.stamp().since(begun) as f64 * self.analysis.tick().value;
        self.looks.made(took_ns, self.elapsed_ns());
    }

    /// Looks at the kernel's own clocks. The first time as the run begins: of a sleep before that nobody would know.
    pub(super) fn look_at_kernel(&mut self) {
        for observation in self.looks.kernel(self.reader.witness, self.reader.kernel) {
            self.source_changed |= matches!(observation, Observation::Clocksource(_));
            self.note(&observation);
        }
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

    /// A look at all watched clocks begins: how late, how the kernel's clocks are, and what is said of NTP, where that is new.
    pub(crate) fn polled(&mut self, number: u64, every_ns: u64, late_ns: u64) {
        let ntp = machine::discipline();
        let told =
            |ntp: &Result<Ntp, String>| ntp.clone().map(|ntp| Ntp { max_error_ns: 0.0, est_error_ns: 0.0, ..ntp });
        let is_new = self.ntp.as_ref().is_none_or(|before| told(before) != told(&ntp));
        if is_new {
            self.ntp = Some(ntp.clone());
        }
        self.note(&Observation::Polled(Box::new(Polled { number, every_ns, late_ns, ntp: is_new.then_some(ntp) })));
        for observation in self.looks.kernel(self.reader.witness, self.reader.kernel) {
            self.note(&observation);
        }
    }

    /// The tightest of some readings of a clock between two of the reference; each of them is watched for faults.
    pub(crate) fn tightest(&mut self, clock: usize, tries: usize) {
        let reference = self.analysis.header().reference;
        if clock == reference {
            return;
        }
        let witness = self.witness(clock);
        let gap = (self.account(clock).gap_ns() / self.witness_ns(clock)) as i64;
        self.causes.settle();
        let mut all = Singles { clock, purpose: Purpose::Rate, ..Singles::default() };
        let mut best: Option<Bracketed> = None;
        for at in 0..tries {
            let before = self.read_alone(reference);
            // The first read after a sleep finds cold caches, and a library's clock that is to fit itself anew: it takes long
            // in each look, and nobody interrupted it.
            let gap = if at == 0 { i64::MAX } else { gap };
            self.meters[clock].singles(&witness, 1, gap, &mut self.lot);
            let after = self.read_alone(reference);
            if at == 0 {
                all.start = self.lot.start;
            }
            let lot = &self.lot;
            all.cpus.extend(lot.cpus.iter().map(|(place, cpu)| (place + all.reads.len(), *cpu)));
            all.reads.extend(&lot.reads);
            all.failed += lot.failed;
            let value = lot.reads.first().map(|read| read.value);
            if let (Some(before), Some(value), Some(after)) = (before, value, after) {
                let reading = Bracketed { before, value, after };
                let is_tighter = best.is_none_or(|best| reading.width() < best.width());
                best = if reading.width() >= 0 && is_tighter { Some(reading) } else { best };
            }
            if let Some((from, to)) = lot.gap {
                all.gap = Some((from, to));
                let cause = self.causes.look(from.cpu != to.cpu).into();
                self.note(&Observation::Singles(Cow::Borrowed(&all)));
                (all.reads, all.cpus, all.failed, all.gap) = (Vec::new(), Vec::new(), 0, None);
                all.start = to;
                self.note(&Observation::Gap(Gap { clock, from, to, cause, between_lots: false }));
            }
        }
        if !all.reads.is_empty() || all.failed > 0 {
            self.note(&Observation::Singles(Cow::Borrowed(&all)));
        }
        if let Some(reading) = best {
            self.note(&Observation::Beside(Beside { clock, reading }));
        }
    }

    /// Shows the observer what the look under way came to.
    pub(crate) fn shown(&mut self) {
        self.observer.looked(&self.analysis);
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
