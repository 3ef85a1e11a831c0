//! The faults phase: single reads of one clock after the other, each between two stamps; and the wait for clocks
//! too slow to have changed by then.

use super::Observer;
use super::phases::Survey;
use super::subject::Subject;
use crate::measure::{Stamp, Witness};
use clockscope_analysis::analyze::faults::agree;
use clockscope_analysis::trace::Bracketed;

/// Longest wait for a clock that was not seen to change at all, ns: a second, and a little.
const SLOWEST_NS: f64 = 1.05e9;

/// What stands between two lots of singles (a look, the search for a cause) takes less than this, ns.
const ABSENT_NS: f64 = 50e6;

impl Survey {
    pub(super) fn find_faults(&mut self, reads: Option<u64>, time: f64, observer: &mut dyn Observer) {
        for at in 0..self.subjects.len() {
            if self.stop(observer) {
                return;
            }
            observer.progress(self.elapsed_ns() / time, "faults");
            let left = self.subjects.len() - at;
            let slot = ((time - self.elapsed_ns()) / left as f64).max(1e6);
            self.find_faults_of(at, slot, reads, observer);
            if !self.subjects[at].slow {
                observer.clock(self.finished(at));
            }
        }
    }

    /// Single reads of one clock, each between stamps, for `slot` ns or `wanted` reads.
    fn find_faults_of(&mut self, at: usize, slot: f64, wanted: Option<u64>, observer: &dyn Observer) {
        let started = self.elapsed_ns();
        let subject = &mut self.subjects[at];
        let witness = subject.witness;
        subject.empty_ns = empty_bracket(&witness) * subject.witness_ns;
        let each_ns = subject.read_ns + 60.0;
        let gap = (subject.watch.terms().map_or(1e3, |terms| terms.wide_ns) / subject.witness_ns) as i64;
        let chunk = ((40_000.0 / each_ns) as usize).clamp(1, 1024);
        let third = self.reader.kernel.filter(|_| matches!(witness, Witness::Counter));
        self.causes.settle();
        let (mut done, mut last) = (0, None);
        while wanted.map_or_else(|| self.elapsed_ns() - started < slot, |wanted| done < wanted)
            && !self.stop(observer)
        {
            let now = wanted.map_or(chunk, |wanted| chunk.min((wanted - done) as usize));
            let before = third.map(|third| bracketed(&third, &witness));
            let subject = &mut self.subjects[at];
            subject.meter.singles(&witness, now, gap, &mut self.singles);
            let after = third.map(|third| bracketed(&third, &witness));
            if let Some(since) = last {
                self.note_absence(at, since, self.singles.start);
            }
            last = self.singles.reads.last().map(|read| read.after);
            let subject = &mut self.subjects[at];
            let trusted = before.zip(after).is_none_or(|(a, b)| agree(a, b, subject.witness_ns));
            subject.watch_singles(&self.singles, trusted);
            done += self.singles.reads.len() as u64;
            self.note_brackets(at, gap);
            self.look();
        }
        // A stop that eats up the rest of the slot is followed by no further lot.
        if let Some(since) = last {
            self.note_absence(at, since, witness.stamp());
        }
    }

    /// A stop of the whole machine between two lots of singles is as much an interruption as one within a lot.
    fn note_absence(&mut self, at: usize, since: Stamp, now: Stamp) {
        let subject = &mut self.subjects[at];
        let ns = now.since(since) as f64 * subject.witness_ns;
        if ns > ABSENT_NS {
            let cause = self.causes.look(since.cpu != now.cpu);
            subject.watch.interruption(ns, now.count, now.cpu, cause);
            self.observed_ns += ns;
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
        let [.., last] = self.singles.reads[..] else { return };
        self.observed_ns += last.after.since(self.singles.start) as f64 * subject.witness_ns;
        if !self.singles.gap {
            return;
        }
        let before = match self.singles.reads[..] {
            [.., before, _] => before.after,
            _ => self.singles.start,
        };
        let length = last.after.since(before);
        if length > gap {
            let migrated = before.cpu != last.after.cpu;
            let cause = self.causes.look(migrated);
            let ns = length as f64 * subject.witness_ns;
            subject.watch.interruption(ns, last.after.count, last.after.cpu, cause);
        }
    }

    /// Clocks that were not seen to change get their longest period's time, all together.
    pub(super) fn await_slow_clocks(&mut self, observer: &mut dyn Observer) {
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
            self.look();
            observer.progress(1.0, "waiting for slow clocks");
            std::thread::sleep(std::time::Duration::from_micros(300));
        }
        for at in 0..self.subjects.len() {
            if self.subjects[at].slow {
                observer.clock(self.finished(at));
            }
        }
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
fn bracketed(third: &Witness, witness: &Witness) -> Bracketed {
    let (before, value, after) = (witness.stamp(), third.stamp(), witness.stamp());
    Bracketed { before: before.count, value: value.count, after: after.count }
}
