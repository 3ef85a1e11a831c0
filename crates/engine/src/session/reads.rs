//! Reads clocks and passes on what it sees.

use std::borrow::Cow;

use clockscope_analysis::analyze::{Account, Analysis};
use clockscope_analysis::trace::{
    Bracketed, Description, End, Gap, Observation, Purpose, Role, Row, Singles, Stamp, Timed,
};

use super::looks::Looks;
use super::observer::Observer;
use super::options::Options;
use super::reader::Reader;
use crate::machine;
use crate::measure::{Causes, Meter, Witness, step};

/// A read that takes longer than this, ns, is made no more often than it must: it may not hold up the others.
pub(crate) const SLOW_NS: f64 = clockscope_analysis::analyze::cost::SLOW_NS;
/// What stands between two lots of single reads (a look, the search for a cause) takes less than this, ns: a longer gap
/// is a stop of the whole machine.
const ABSENT_NS: f64 = 50e6;

/// A run under way.
pub(crate) struct Session<'a> {
    pub(crate) reader: Reader,
    pub(crate) options: &'a Options,
    /// What was learnt so far; every observation has gone into it.
    pub(crate) analysis: Analysis,
    pub(super) meters: Vec<Box<dyn Meter>>,
    pub(super) observer: &'a mut dyn Observer,
    pub(crate) causes: Causes,
    pub(super) looks: Looks,
    pub(super) start: Stamp,
    /// The start by the kernel's clock, which no sleep and no counter that begins anew can mislead.
    pub(super) kernel_start: Option<Stamp>,
    pub(super) usage: Option<machine::Usage>,
    /// What was said of NTP last.
    pub(super) ntp: Option<Result<clockscope_analysis::record::Ntp, String>>,
    pub(super) random: u64,
    pub(super) row: Row,
    /// The lot of single reads that was made last.
    pub(crate) lot: Singles,
    /// Room for a read that nobody judges.
    pub(super) alone: Singles,
    pub(super) stopped: bool,
    /// Whether the kernel has another clocksource than when its clocks' quanta were last looked at.
    pub(crate) source_changed: bool,
}

impl Session<'_> {
    /// Passes on what was seen.
    pub(crate) fn note(&mut self, observation: &Observation) {
        self.analysis.take(observation);
        self.observer.observed(observation);
    }

    /// What a person should know of the run.
    pub(crate) fn remark(&mut self, text: &str) {
        self.note(&Observation::Note(text.into()));
    }

    /// The clocks that the run is about.
    pub(crate) fn surveyed(&self) -> Vec<usize> {
        self.analysis.header().surveyed.clone()
    }

    /// A surveyed clock's account.
    pub(crate) fn account(&self, clock: usize) -> &Account {
        self.analysis.account(clock).expect("phases go through the surveyed clocks, and each of them has one")
    }

    /// About how long a read of a surveyed clock takes, ns.
    pub(crate) fn read_ns(&self, clock: usize) -> f64 {
        self.account(clock).read_ns().unwrap_or(1.0)
    }

    pub(crate) fn description(&self, clock: usize) -> &Description {
        self.meters[clock].description()
    }

    /// A clock's loops, and whom to tell the share that is done, who says whether to go on.
    pub(crate) fn parted(&mut self, clock: usize, phase: &str) -> (&dyn Meter, impl FnMut(f64) -> bool) {
        let observer = &mut *self.observer;
        let go_on = |done| {
            observer.progress(done, phase);
            !observer.stop()
        };
        (&*self.meters[clock], go_on)
    }

    /// The clock that brackets the reads of another one.
    pub(crate) fn witness(&self, clock: usize) -> Witness {
        let kernel = self.reader.kernel.filter(|_| self.analysis.header().by_kernel(clock));
        kernel.unwrap_or(self.reader.witness)
    }

    /// Nanoseconds a count of that clock's witness.
    pub(super) fn witness_ns(&self, clock: usize) -> f64 {
        if self.analysis.header().by_kernel(clock) { 1.0 } else { self.analysis.tick().value }
    }

    /// Time since the start, ns, by the kernel's clock where it can be read: a counter may count through a sleep, or
    /// begin anew after it.
    pub(crate) fn elapsed_ns(&self) -> f64 {
        match self.reader.kernel.zip(self.kernel_start) {
            Some((kernel, start)) => kernel.stamp().since(start) as f64,
            None => self.reader.witness.stamp().since(self.start) as f64 * self.analysis.tick().value,
        }
    }

    pub(crate) fn stop(&mut self) -> bool {
        self.stopped |= self.observer.stop();
        self.stopped
    }

    pub(crate) fn progress(&mut self, phase: &str) {
        self.observer.progress(self.done(), phase);
        let elapsed_ns = self.elapsed_ns();
        if self.observer.wants_so_far(elapsed_ns) {
            self.observer.so_far(&self.analysis, elapsed_ns);
        }
    }

    pub(crate) fn done(&self) -> f64 {
        (self.elapsed_ns() / self.options.time_ns().max(1.0)).min(1.0)
    }

    /// Shows the observer a clock that is finished.
    pub(crate) fn finished(&mut self, clock: usize) {
        if let Some(entry) = self.analysis.clock(clock) {
            self.observer.clock(&entry);
        }
    }

    pub(crate) fn row(&mut self, clock: usize, role: Role, reads: usize) {
        let witness = self.witness(clock);
        (self.row.clock, self.row.role) = (clock, role);
        self.meters[clock].row(&self.reader.witness, &witness, reads, &mut self.row);
        self.note_row();
    }

    /// Reads in a row with random pauses of up to so many steps.
    pub(crate) fn dithered(&mut self, clock: usize, role: Role, reads: usize, most_steps: u32) {
        let witness = self.witness(clock);
        (self.row.clock, self.row.role) = (clock, role);
        self.meters[clock].dithered(&witness, reads, most_steps, &mut self.random, &mut self.row);
        self.note_row();
    }

    /// Times chains by the clock, with the run's witness around them. The reads are watched for faults as all are.
    pub(crate) fn timed(&mut self, lot: &mut Timed) {
        let witness = self.witness(lot.clock);
        (self.row.clock, self.row.role) = (lot.clock, Role::Plain);
        let (timer, random) = (&self.reader.witness, &mut self.random);
        self.meters[lot.clock].timed(timer, &witness, random, &mut lot.chains, &mut self.row);
        lot.failed = self.row.failed;
        if lot.failed > 0 {
            lot.chains.clear();
        }
        self.note_row();
    }

    /// Start-stop pairs with nothing in between. Says how many reads failed.
    pub(crate) fn empties(&mut self, clock: usize, differences: &mut Vec<i64>) -> u64 {
        self.meters[clock].empties(differences)
    }

    /// Whether a clock advanced by so many counts between two adjacent reads because the reader stood still.
    pub(crate) fn stands_out(&self, clock: usize, counts: i64) -> bool {
        let account = self.account(clock);
        counts as f64 * account.count_ns() > account.gap_ns()
    }

    /// A random number less than `below`.
    pub(crate) fn random(&mut self, below: u32) -> u32 {
        self.random = step(self.random);
        (((self.random >> 32) * u64::from(below)) >> 32) as u32
    }

    fn note_row(&mut self) {
        let row = std::mem::take(&mut self.row);
        self.note(&Observation::Row(Cow::Borrowed(&row)));
        self.row = row;
    }

    /// One bracketed read, for the clock's rate.
    pub(crate) fn anchor(&mut self, clock: usize) {
        let witness = self.witness(clock);
        self.singles(clock, Purpose::Rate, &witness, 1);
    }

    /// Bracketed reads of the reference, for what a count of the witness is worth. Cost where the reference is the
    /// witness: none.
    pub(crate) fn anchor_reference(&mut self, reads: usize) {
        let header = self.analysis.header();
        let (reference, witness) = (header.reference, self.reader.witness);
        if reference != header.witness {
            self.singles(reference, Purpose::Timebase, &witness, reads);
        }
    }

    fn singles(&mut self, clock: usize, purpose: Purpose, witness: &Witness, reads: usize) {
        (self.lot.clock, self.lot.purpose, self.lot.third) = (clock, purpose, None);
        self.meters[clock].singles(witness, reads, i64::MAX, &mut self.lot);
        self.note_lot();
    }

    /// Single reads for faults, each between stamps, up to `reads` of them or to the first gap, whose cause is looked
    /// for. Where the counter is the witness the kernel's clock is read before them and after them.
    pub(crate) fn watch(&mut self, clock: usize, reads: usize) {
        let witness = self.witness(clock);
        let third = self.reader.kernel.filter(|_| matches!(witness, Witness::Counter));
        let gap = (self.account(clock).gap_ns() / self.witness_ns(clock)) as i64;
        let before = third.map(|third| bracketed(&third, &witness));
        (self.lot.clock, self.lot.purpose, self.lot.third) = (clock, Purpose::Faults, None);
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
    pub(crate) fn absence(&mut self, clock: usize, from: Stamp) {
        let to = self.witness(clock).stamp();
        if to.since(from) as f64 * self.witness_ns(clock) > ABSENT_NS {
            let cause = self.causes.look(from.cpu != to.cpu).into();
            self.note(&Observation::Gap(Gap { clock, from, to, cause, between_lots: true }));
        }
    }

    pub(super) fn note_lot(&mut self) {
        let lot = std::mem::take(&mut self.lot);
        self.note(&Observation::Singles(Cow::Borrowed(&lot)));
        self.lot = lot;
    }

    /// The last stamp of that lot.
    pub(crate) fn lot_end(&self) -> Stamp {
        let cpu = self.lot.cpus.last().map_or(self.lot.start.cpu, |(_, cpu)| *cpu);
        let read = self.lot.reads.last().map(|read| Stamp { count: read.after, cpu });
        self.lot.gap.map(|(_, to)| to).or(read).unwrap_or(self.lot.start)
    }

    /// How long the single read took that was made last, with its stamps, ns; 0 where it failed.
    pub(crate) fn last_read_ns(&self) -> f64 {
        let width = self.lot.reads.last().map_or(0, |read| read.width().max(0));
        width as f64 * self.witness_ns(self.lot.clock)
    }

    pub(crate) fn end(mut self) -> Analysis {
        let usage = self.usage.take();
        let end = End {
            elapsed_ns: self.elapsed_ns(),
            interrupted: self.stop() && self.options.time < Options::UNTIL_STOPPED,
            ntp: machine::discipline(),
            steal_share: usage.and_then(|before| machine::Usage::now(&machine::Root::default())?.since(&before)),
        };
        self.note(&Observation::End(Box::new(end)));
        self.analysis
    }
}

/// A reading of a third clock: the witness before it, its value, the witness after it.
fn bracketed(third: &Witness, witness: &Witness) -> Bracketed {
    let (before, value, after) = (witness.stamp(), third.stamp(), witness.stamp());
    Bracketed { before: before.count, value: value.count, after: after.count }
}
