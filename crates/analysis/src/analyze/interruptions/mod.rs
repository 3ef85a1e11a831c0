//! Interruptions of CPUs that were watched: how often, how long, by what cause. Memory is bounded, however many there were.
//! Method: docs/method/interruptions.md.

mod cpu;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use cpu::{Away, Watched};

use super::attribution::attribute;
use crate::record::{CpuInterruptions, Interval};
use crate::trace::{Absences, Counted, Vigil};

/// Most CPUs; more than Linux supports.
const MOST: usize = 1 << 14;

/// All CPUs that were watched.
#[derive(Debug, Clone, Default)]
pub struct Interruptions {
    cpus: BTreeMap<u32, Watched>,
    /// A reading of the wall clock, ns since 1970, and the witness at the time.
    wall: Option<(u64, u64)>,
}

impl Interruptions {
    /// More interruptions; `tick`: nanoseconds a count of the witness.
    pub fn absences(&mut self, lot: &Absences, tick: Interval) {
        let Some(cpu) = self.cpu(lot.cpu) else { return };
        for absence in &lot.absences {
            let length_ns = absence.length as f64 * tick.value;
            let (seen, over) = shared(&absence.seen, length_ns, cpu.over.filter(|_| absence.in_look));
            cpu.over = Some(over);
            let shares = attribute(length_ns, &seen, absence.migrated);
            cpu.next(Away { from: absence.from, length_ns, shares }, absence.seen.interrupts);
        }
    }

    /// The end of a CPU's watch.
    pub fn vigil(&mut self, vigil: &Vigil) {
        if let Some(cpu) = self.cpu(vigil.cpu) {
            cpu.vigil = Some(vigil.clone());
        }
    }

    /// The wall clock showed `ns` since 1970 when the witness showed `at`; the first such reading counts.
    pub fn wall(&mut self, at: u64, ns: u64) {
        self.wall.get_or_insert((at, ns));
    }

    /// What it comes to; `start`: the witness at the start of the run.
    pub fn state(&self, start: u64, tick: Interval) -> Vec<CpuInterruptions> {
        self.cpus.iter().map(|(cpu, watched)| watched.state(*cpu, start, tick, self.wall)).collect()
    }

    fn cpu(&mut self, cpu: u32) -> Option<&mut Watched> {
        let has_room = self.cpus.len() < MOST || self.cpus.contains_key(&cpu);
        has_room.then(|| self.cpus.entry(cpu).or_default())
    }
}

/// The evidence for an absence, with what is left `over` of that for the one before if this one came into the look for it;
/// and what of it the next one may need. Counters are read one after the other, so that one that is read after an
/// interruption of the look tells of it already. Waiting is longer than the absence then; events may be either's, and which
/// of the two left the CPU for how long shows by the time that it ran.
fn shared(seen: &Counted, length_ns: f64, over: Option<Counted>) -> (Counted, Counted) {
    let sum = |a: Option<u64>, b: Option<u64>| a.map(|a| a.saturating_add(b.unwrap_or(0)));
    let over = over.unwrap_or_default();
    let all = Counted {
        slept_ns: sum(seen.slept_ns, over.slept_ns),
        waited_ns: sum(seen.waited_ns, over.waited_ns),
        throttled_ns: sum(seen.throttled_ns, over.throttled_ns),
        voluntary: sum(seen.voluntary, over.voluntary),
        major_faults: sum(seen.major_faults, over.major_faults),
        continued: sum(seen.continued, over.continued),
        ..*seen
    };
    let most = length_ns.max(0.0) as u64;
    let beyond = |ns: Option<u64>| ns.map(|ns| ns.saturating_sub(most));
    let left = Counted {
        slept_ns: beyond(all.slept_ns),
        waited_ns: beyond(all.waited_ns),
        throttled_ns: beyond(all.throttled_ns),
        voluntary: seen.voluntary,
        major_faults: seen.major_faults,
        continued: seen.continued,
        ..Counted::default()
    };
    (all, left)
}
