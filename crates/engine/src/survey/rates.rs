//! How fast each clock ran by the run's reference.

use super::phases::Survey;
use super::subject::Subject;
use crate::catalog::Unit;
use clockscope_analysis::analyze::rate::{Quanta, Scale, relative};
use clockscope_analysis::record::{Clock, Kind, Rate};

/// The key of the rate's reason.
const RATE: &str = "rate";

impl Survey {
    /// The entry of one clock as it is by now.
    pub(super) fn finished(&mut self, at: usize) -> &Clock {
        let mut clock = self.subjects[at].finish(self.timebase.tick()).clone();
        self.state_nominal(&mut clock);
        self.state_rate(&self.subjects[at], &mut clock);
        self.subjects[at].finished.insert(clock)
    }

    /// Writes the rates over the whole run into the entries.
    pub(super) fn state_rates(&self, clocks: &mut [Clock]) {
        for (subject, clock) in self.subjects.iter().zip(clocks) {
            self.state_rate(subject, clock);
        }
    }

    fn state_rate(&self, subject: &Subject, clock: &mut Clock) {
        clock.missing.remove(RATE);
        clock.rate = match self.rate(subject, clock) {
            Ok(rate) => Some(rate),
            Err(reason) => {
                clock.missing.insert(RATE.into(), reason);
                None
            }
        };
    }

    /// The rate, or the reason why there is none.
    fn rate(&self, subject: &Subject, clock: &Clock) -> Result<Rate, String> {
        let against = self.timebase.id();
        if clock.id == against {
            return Err("it is the reference that the others are measured against".into());
        }
        if clock.kind == Kind::CpuTime {
            return Err("it counts CPU time, which runs only while the thread does".into());
        }
        let count_ns = match subject.meter.description().unit {
            Unit::Ns(ns) => ns,
            // Where a frequency is stated, it is what the counter is held to.
            Unit::Ticks => clock
                .tick_ns
                .nominal
                .ok_or("its tick is measured by the reference, and nobody states its frequency")?,
        };
        let reference = self.subjects.iter().find(|s| s.meter.description().id == against);
        let reference_quantum_ns = reference
            .map_or(self.witness_quantum_ns, |reference| reference.quantum_ns(self.timebase.count_ns()));
        let reference_ns = self.timebase.count_ns();
        let quanta = Quanta {
            clock: subject.quantum_ns(count_ns) / count_ns,
            by: reference_quantum_ns / reference_ns,
        };
        let scale = Scale { count_ns, reference_ns, quanta };
        relative(&subject.track, scale, against)
    }
}
