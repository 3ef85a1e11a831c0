//! The phases of a survey: quantum, cost, faults.

use super::list::Readable;
use super::reader::Reader;
use super::subject::{Subject, anchor, path_by_cost};
use super::timebase::Timebase;
use super::{Error, Observer, Options};
use crate::analyze::cost::Pair;
use crate::analyze::quantum::{Quantum, quantum};
use crate::catalog::Unit;
use crate::measure::{Causes, MOST_READS, Meter, Run, Singles, Stamp, Witness};
use crate::record::{Clock, Frequency, Interval, Machine, Path, Unavailable};

/// Shares of the time: until the end of the quantum phase, and of the cost phase. The rest is for faults.
const QUANTUM_UNTIL: f64 = 0.30;
const COST_UNTIL: f64 = 0.62;
/// Readings for a quantum, where the time allows.
const READINGS: usize = 16_384;
/// Longest time for one clock's quantum, ns: a second of a clock read every few ns would fill the memory.
const LONGEST_SLOT_NS: f64 = 30e6;
/// Rounds of the calibration.
const ROUNDS: usize = 64;
/// A batch of n reads takes about this long, ns; one of 2n twice that: far less than a scheduler's slice.
const BATCH_NS: f64 = 9_000.0;
/// Most pairs of batches a clock.
const MOST_PAIRS: usize = 4000;
/// Longest wait for a clock that was not seen to change at all, ns: a second, and a little.
const SLOWEST_NS: f64 = 1.05e9;

/// A survey under way.
pub(super) struct Survey {
    reader: Reader,
    subjects: Vec<Subject>,
    unavailable: Vec<Unavailable>,
    timebase: Timebase,
    /// The reference's own loops, beside the subjects'.
    reference: Option<Box<dyn Meter>>,
    causes: Causes,
    start: Stamp,
    random: u64,
    run: Run,
    singles: Singles,
    witness_quantum_ns: f64,
    observed_ns: f64,
    stopped: bool,
}

impl Survey {
    pub(super) fn new(options: &Options) -> Result<Self, Error> {
        let mut readable = Readable::new();
        let wanted: Vec<usize> =
            options.clocks.iter().map(|id| readable.find(id)).collect::<Result<_, _>>()?;
        let reader = Reader::new(options)?;
        let start = reader.witness.stamp();
        let (timebase, place) =
            Timebase::new(options.reference.as_deref(), &readable, reader.witness, reader.kernel)?;
        // The reference is read all along, whether surveyed or not: it gets loops of its own.
        let reference = place.map(|place| Readable::new().meters.swap_remove(place));
        let all = options.clocks.is_empty();
        let mut place = 0;
        readable.meters.retain(|_| {
            place += 1;
            all || wanted.contains(&(place - 1))
        });
        let subjects = readable
            .meters
            .into_iter()
            .map(|meter| {
                let counter = meter.description().unit == Unit::Ticks;
                match reader.kernel.filter(|_| counter) {
                    Some(kernel) => Subject::new(meter, kernel, 1.0, kernel.stamp().count),
                    None => Subject::new(meter, reader.witness, 1.0, start.count),
                }
            })
            .collect();
        let causes = Causes::new(reader.pinned.as_ref().map(crate::measure::Pinned::cpu));
        Ok(Self {
            subjects,
            unavailable: if all { readable.unavailable } else { Vec::new() },
            timebase,
            reference,
            causes,
            start,
            random: options.seed,
            run: Run::default(),
            singles: Singles::default(),
            witness_quantum_ns: 0.0,
            observed_ns: 0.0,
            stopped: false,
            reader,
        })
    }

    /// All phases, as far as time and observer allow.
    pub(super) fn measure(&mut self, options: &Options, observer: &mut dyn Observer) {
        let time = options.time.as_nanos() as f64;
        self.calibrate((time * 0.02).clamp(1e6, 50e6));
        self.find_quanta(time * QUANTUM_UNTIL, time, observer);
        self.settle();
        self.find_costs(time * COST_UNTIL, time, observer);
        self.settle();
        self.find_faults(options.reads, time, observer);
        self.await_slow_clocks(observer);
        if self.stopped {
            let why = "the run was stopped before this was measured";
            self.subjects.iter_mut().for_each(|s| s.unfinished = Some(why.into()));
        }
    }

    fn stop(&mut self, observer: &dyn Observer) -> bool {
        self.stopped |= observer.stop();
        self.stopped
    }

    fn witness_ns(&self) -> f64 {
        self.timebase.tick().value
    }

    /// Time since the start, ns.
    pub(super) fn elapsed_ns(&self) -> f64 {
        self.reader.witness.stamp().since(self.start) as f64 * self.witness_ns()
    }

    fn anchor_reference(&mut self) {
        if let Some(meter) = &mut self.reference {
            self.timebase.anchor(&mut **meter, &self.reader.witness, &mut self.singles);
        }
    }

    /// A first value for the witness's tick, its quantum, and the rates of all clocks by it. `time` is in ns by a
    /// guess of some counts a ns: before the first fit there is nothing better.
    fn calibrate(&mut self, time: f64) {
        let round = (time / ROUNDS as f64 * 3.0) as i64;
        let mut quick: Vec<usize> = (0..self.subjects.len()).collect();
        for _ in 0..ROUNDS {
            let started = self.reader.witness.stamp();
            self.anchor_reference();
            quick.retain(|at| {
                let before = self.reader.witness.stamp();
                self.anchor_subject(*at);
                // One that takes a good part of a round for a read waits for its turn.
                self.reader.witness.stamp().since(before) < round / 8
            });
            // Bounded, should the witness stand still.
            for _ in 0..200_000 {
                if self.reader.witness.stamp().since(started) > round {
                    break;
                }
            }
        }
        self.timebase.settle();
        let mut stamps = Vec::with_capacity(8192);
        for _ in 0..8192 {
            crate::measure::pause(&mut self.random, 24);
            stamps.push(self.reader.witness.stamp().count);
        }
        self.witness_quantum_ns = self.witness_ns()
            * match quantum(&stamps) {
                Quantum::Found { value, half_width, .. } => value + half_width,
                Quantum::NotCoarserThan(limit) => limit,
                Quantum::Unknown(_) => 1.0,
            };
        for subject in &mut self.subjects {
            subject.timer_quantum_ns = self.witness_quantum_ns;
            subject.witness_ns =
                if matches!(subject.witness, Witness::Counter) { self.timebase.tick().value } else { 1.0 };
        }
    }

    /// What was learnt of ticks and rates goes into the watches.
    fn settle(&mut self) {
        self.timebase.settle();
        let tick = self.timebase.tick();
        for subject in &mut self.subjects {
            if matches!(subject.witness, Witness::Counter) {
                subject.witness_ns = tick.value;
            }
            let wide_ns = subject.watch.terms().wide_ns;
            subject.settle_terms(tick, self.witness_quantum_ns, wide_ns);
        }
    }

    fn find_quanta(&mut self, until: f64, time: f64, observer: &mut dyn Observer) {
        for at in 0..self.subjects.len() {
            if self.stop(observer) {
                return;
            }
            observer.progress(self.elapsed_ns() / time, "quantum");
            let left = self.subjects.len() - at;
            let slot = ((until - self.elapsed_ns()) / left as f64).max(1e6);
            self.find_quantum(at, slot);
            for earlier in 0..=at {
                self.anchor_subject(earlier);
            }
            self.anchor_reference();
        }
    }

    fn find_quantum(&mut self, at: usize, slot: f64) {
        let tick = self.timebase.tick();
        let read_ns = self.first_look(at);
        // The pause spreads over about one read; a step of it takes some nanoseconds.
        let pause = (read_ns / 2.0).clamp(16.0, 4000.0) as u32;
        let row = ((2.0 * BATCH_NS / (1.5 * read_ns)) as usize).clamp(1, MOST_READS / 2);
        let started = self.elapsed_ns();
        let mut rows: Vec<Run> = Vec::new();
        let slot = slot.min(LONGEST_SLOT_NS);
        let (mut reads, mut changes, mut last) = (0, 0, None);
        // A clock slower than its reads takes its whole slot, and no clock more than that.
        while self.elapsed_ns() - started < slot
            && (reads < READINGS || changes * 2 < reads)
            && rows.len() < READINGS
        {
            let subject = &mut self.subjects[at];
            subject.meter.dithered(&subject.witness, row, pause, &mut self.random, &mut self.run);
            reads += self.run.values.len();
            for value in &self.run.values {
                changes += usize::from(last.replace(*value) != Some(*value));
            }
            rows.push(self.run.clone());
        }
        let subject = &mut self.subjects[at];
        let readings: Vec<u64> = rows.iter().flat_map(|run| run.values.iter().copied()).collect();
        subject.readings = reads as u64;
        subject.quantum = Some(quantum(&readings));
        subject.slow = changes * 2 < reads && changes < 64;
        // Bracket and read of single reads take some 100 ns more than the read itself.
        let wide_ns = f64::max(1000.0, 3.0 * (read_ns + 100.0));
        subject.settle_terms(tick, self.witness_quantum_ns, wide_ns);
        for run in &rows {
            subject.watch_row(run);
        }
    }

    /// About how long a read takes, ns; the shortest of three short rows.
    fn first_look(&mut self, at: usize) -> f64 {
        let tick = self.timebase.tick().value;
        let subject = &mut self.subjects[at];
        let mut read_ns = f64::INFINITY;
        for _ in 0..3 {
            subject.meter.row(&self.reader.witness, &subject.witness, 4, &mut self.run);
            read_ns = read_ns.min((self.run.timed as f64 * tick / 4.0).max(1.0));
        }
        subject.read_ns = read_ns;
        read_ns
    }

    fn anchor_subject(&mut self, at: usize) {
        let subject = &mut self.subjects[at];
        subject.meter.singles(&subject.witness, 1, i64::MAX, &mut self.singles);
        subject.anchors.extend(self.singles.reads.iter().filter_map(anchor));
        subject.watch_singles(&self.singles.reads, true);
    }

    fn find_costs(&mut self, until: f64, time: f64, observer: &mut dyn Observer) {
        let mut round = 0;
        while self.elapsed_ns() < until && round < MOST_PAIRS && !self.stop(observer) {
            for at in 0..self.subjects.len() {
                self.anchor_subject(at);
                self.batches(at, round);
                // After one whole round no clock may hold up the end.
                if round > 0 && self.elapsed_ns() > until {
                    return;
                }
            }
            self.anchor_reference();
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

    fn find_faults(&mut self, reads: Option<u64>, time: f64, observer: &mut dyn Observer) {
        let tick = self.timebase.tick();
        for at in 0..self.subjects.len() {
            if self.stop(observer) {
                return;
            }
            observer.progress(self.elapsed_ns() / time, "faults");
            let left = self.subjects.len() - at;
            let slot = ((time - self.elapsed_ns()) / left as f64).max(1e6);
            self.find_faults_of(at, slot, reads);
            let subject = &mut self.subjects[at];
            if !subject.slow {
                observer.clock(subject.finish(tick));
            }
        }
    }

    /// Single reads of one clock, each between stamps, for `slot` ns or `wanted` reads.
    fn find_faults_of(&mut self, at: usize, slot: f64, wanted: Option<u64>) {
        let started = self.elapsed_ns();
        let subject = &mut self.subjects[at];
        let witness = subject.witness;
        subject.empty_ns = empty_bracket(&witness) * subject.witness_ns;
        let each_ns = subject.read_ns + 60.0;
        let gap = (subject.watch.terms().wide_ns / subject.witness_ns) as i64;
        let chunk = ((40_000.0 / each_ns) as usize).clamp(1, 1024);
        let third = self.reader.kernel.filter(|_| matches!(witness, Witness::Counter));
        self.causes.settle();
        let mut done = 0;
        while wanted.map_or_else(|| self.elapsed_ns() - started < slot, |wanted| done < wanted) {
            let now = wanted.map_or(chunk, |wanted| chunk.min((wanted - done) as usize));
            let before = third.map(|third| bracketed(&third, &witness));
            let subject = &mut self.subjects[at];
            subject.meter.singles(&witness, now, gap, &mut self.singles);
            let after = third.map(|third| bracketed(&third, &witness));
            let trusted = before.zip(after).is_none_or(|(a, b)| agree(a, b, subject.witness_ns));
            subject.watch_singles(&self.singles.reads, trusted);
            done += self.singles.reads.len() as u64;
            self.note_brackets(at, gap);
        }
    }

    /// Brackets of the singles just read into the histogram; the gap that ended them, if any, with its cause.
    fn note_brackets(&mut self, at: usize, gap: i64) {
        let subject = &mut self.subjects[at];
        for read in &self.singles.reads {
            let width = read.after.since(read.before).max(0).unsigned_abs();
            // An auto-resizing histogram takes any value.
            let _ = subject.widths.record(width);
        }
        let [first, .., last] = self.singles.reads[..] else { return };
        self.observed_ns += last.after.since(first.before) as f64 * subject.witness_ns;
        if !self.singles.gap {
            return;
        }
        let before = self.singles.reads[self.singles.reads.len() - 2];
        let length = last.after.since(before.after);
        if length > gap {
            let migrated = before.after.cpu != last.after.cpu;
            let cause = self.causes.look(migrated);
            let ns = length as f64 * subject.witness_ns;
            subject.watch.interruption(ns, last.after.count, last.after.cpu, cause);
        }
    }

    /// Clocks that were not seen to change get their longest period's time, all together.
    fn await_slow_clocks(&mut self, observer: &mut dyn Observer) {
        let started = self.elapsed_ns();
        let asleep = |s: &Subject| s.slow && !s.has_changed();
        while self.subjects.iter().any(asleep)
            && self.elapsed_ns() - started < SLOWEST_NS
            && !self.stop(observer)
        {
            for at in 0..self.subjects.len() {
                if asleep(&self.subjects[at]) {
                    self.anchor_subject(at);
                }
            }
            observer.progress(1.0, "waiting for slow clocks");
            std::thread::sleep(std::time::Duration::from_micros(300));
        }
        let tick = self.timebase.tick();
        for subject in self.subjects.iter_mut().filter(|s| s.slow) {
            observer.clock(subject.finish(tick));
        }
    }

    /// The CPU that the reader is pinned to.
    pub(super) fn cpu(&self) -> Option<u32> {
        self.reader.pinned.as_ref().map(crate::measure::Pinned::cpu)
    }

    pub(super) fn notes(&self) -> Vec<String> {
        self.reader.notes.clone()
    }

    pub(super) fn stopped(&self) -> bool {
        self.stopped
    }

    pub(super) fn reference_id(&self) -> String {
        self.timebase.id().into()
    }

    pub(super) fn witness_id(&self) -> &'static str {
        self.reader.witness.id()
    }

    /// Nanoseconds a count of the witness.
    pub(super) fn tick(&self) -> Interval {
        self.timebase.tick()
    }

    /// Share of the faults phase that the reader stood still.
    pub(super) fn standstill_share(&self) -> Option<f64> {
        let still: f64 = self.subjects.iter().map(|s| s.watch.so_far().standstill_ns).sum();
        (self.observed_ns > 0.0).then(|| (still / self.observed_ns).min(1.0))
    }

    /// Adds the measured frequency of the counter to the machine's facts.
    pub(super) fn state_frequency(&self, machine: &mut Machine) {
        let tick = self.timebase.tick().value;
        if let Some(tsc) = &mut machine.tsc
            && matches!(self.reader.witness, Witness::Counter)
        {
            tsc.frequencies_hz.push(Frequency { source: "measured".into(), hz: 1e9 / tick });
        }
    }

    /// The record's entries.
    pub(super) fn finish(mut self, machine: &Machine) -> (Vec<Clock>, Vec<Unavailable>) {
        let tick = self.timebase.tick();
        let mut clocks: Vec<Clock> = self.subjects.iter_mut().map(|s| s.finish(tick).clone()).collect();
        path_by_cost(&mut clocks);
        let frequency = machine.tsc.as_ref().and_then(|tsc| tsc.frequencies_hz.first());
        for clock in clocks.iter_mut().filter(|c| c.path == Path::Instruction && c.tick_ns.nominal.is_none())
        {
            if let Some(frequency) = frequency {
                clock.tick_ns.nominal = Some(1e9 / frequency.hz);
                clock.tick_ns.nominal_source = Some(frequency.source.clone());
            }
        }
        (clocks, self.unavailable)
    }
}

/// Median width of a bracket with nothing in it, in counts.
fn empty_bracket(witness: &Witness) -> f64 {
    let mut widths: Vec<i64> = (0..255)
        .map(|_| {
            let before = witness.stamp();
            witness.stamp().since(before)
        })
        .collect();
    *widths.select_nth_unstable(127).1 as f64
}

/// A reading of a third clock: the witness before it, its value, the witness after it.
fn bracketed(third: &Witness, witness: &Witness) -> (Stamp, Stamp, Stamp) {
    (witness.stamp(), third.stamp(), witness.stamp())
}

/// Whether witness and third clock (ns) advanced alike between two bracketed readings: within the brackets, the
/// kernel's slewing, and a third clock that may be as coarse as a timer tick.
fn agree(a: (Stamp, Stamp, Stamp), b: (Stamp, Stamp, Stamp), witness_ns: f64) -> bool {
    let third = b.1.since(a.1) as f64;
    let (shortest, longest) = (b.0.since(a.2) as f64 * witness_ns, b.2.since(a.0) as f64 * witness_ns);
    let slack = 500.0 + longest.abs() * 600e-6;
    (shortest - slack..=longest + slack).contains(&third)
}
