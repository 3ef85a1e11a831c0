//! The quantum phase: one clock after the other, read with random pauses.

use super::Observer;
use super::costs::SLOW_NS;
use super::phases::Survey;
use crate::measure::{MOST_READS, Run};
use clockscope_analysis::analyze::quantum::{Counts, quantum};

/// Readings for a quantum, where the time allows.
const READINGS: usize = 16_384;
/// Longest time for one clock's quantum, ns: a second of a clock read every few ns would fill the memory.
const LONGEST_SLOT_NS: f64 = 30e6;
/// A row of reads takes about this long, ns: far less than a scheduler's slice.
const ROW_NS: f64 = 18_000.0;

impl Survey {
    pub(super) fn find_quanta(&mut self, until: f64, time: f64, observer: &mut dyn Observer) {
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
            self.look();
        }
    }

    fn find_quantum(&mut self, at: usize, slot: f64) {
        let tick = self.timebase.tick();
        let read_ns = self.first_look(at);
        // The pause spreads over about one read; a step of it takes some nanoseconds.
        let pause = (read_ns / 2.0).clamp(16.0, 4000.0) as u32;
        let row = ((ROW_NS / (1.5 * read_ns)) as usize).clamp(1, MOST_READS / 2);
        let started = self.elapsed_ns();
        let mut rows: Vec<Run> = Vec::new();
        let slot = slot.min(LONGEST_SLOT_NS);
        // The transform's time is the clock's as well: a short turn gets fewer readings.
        let wanted = if slot < 4e6 { READINGS / 8 } else { READINGS };
        let (mut reads, mut changes, mut last) = (0, 0, None);
        // A clock slower than its reads takes its whole slot, and no clock more than that.
        while self.elapsed_ns() - started < slot
            && (reads < wanted || changes * 2 < reads)
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
        let ticks = subject.meter.description().ticks_by.is_some();
        subject.quantum = Some(quantum(&readings, if ticks { Counts::Ticks } else { Counts::Units }));
        // What was read once or twice was not seen not to be slow.
        subject.slow = (changes * 2 < reads || reads < 3) && changes < 64;
        // Bracket and read of single reads take some 100 ns more than the read itself.
        let wide_ns = f64::max(1000.0, 3.0 * (read_ns + 100.0));
        subject.settle_terms(tick, wide_ns);
        subject.watch_early();
        for run in &rows {
            subject.watch_row(run);
        }
    }

    /// About how long a read takes, ns; the shortest of three short rows. Of a slow clock one read tells it.
    fn first_look(&mut self, at: usize) -> f64 {
        let tick = self.timebase.tick().value;
        let subject = &mut self.subjects[at];
        let mut read_ns = f64::INFINITY;
        for reads in [1, 4, 4, 4] {
            subject.meter.row(&self.reader.witness, &subject.witness, reads, &mut self.run);
            read_ns = read_ns.min((self.run.timed as f64 * tick / reads as f64).max(1.0));
            if read_ns > SLOW_NS {
                break;
            }
        }
        subject.read_ns = read_ns;
        read_ns
    }
}
