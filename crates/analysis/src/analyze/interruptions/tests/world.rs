//! A CPU that is taken away from a thread for known times by known causes.

use fastrand::Rng;

use super::super::Interruptions;
use crate::analyze::attribution::Cause;
use crate::record::{CpuInterruptions, Interval};
use crate::trace::{Absence, Absences, Counted, Vigil};

/// Nanoseconds a count.
pub(super) const TICK: Interval = Interval::exactly(0.5);
/// A read every 20 ns.
pub(super) const READ: u64 = 40;
/// What a look takes, in counts.
pub(super) const LOOK: u64 = 40_000;

/// A CPU as a thread sees it that watches.
pub(super) struct World {
    pub(super) now: u64,
    pub(super) start: u64,
    /// What the kernel counted since the start, no more than this thread can see.
    pub(super) counted: Counted,
    pub(super) last: Counted,
    pub(super) random: Rng,
    pub(super) vigil: Vigil,
    pub(super) lot: Absences,
}

pub(super) fn grow(count: &mut Option<u64>, by: u64) {
    *count = Some(count.unwrap_or(0) + by);
}

impl World {
    pub(super) fn new(seed: u64) -> Self {
        let counted = Counted::quiet(0, 0);
        // The counter begins anew on the way.
        let start = u64::MAX - 1_000_000;
        let vigil = Vigil { cpu: 3, start, longer_than: 2000, ..Vigil::default() };
        let lot = Absences { cpu: 3, absences: Vec::new() };
        Self { now: start, start, counted, last: counted, random: Rng::with_seed(seed), vigil, lot }
    }

    /// Time passes in which the thread runs.
    pub(super) fn run(&mut self, ns: u64) {
        self.now = self.now.wrapping_add(2 * ns);
        grow(&mut self.counted.raw_ns, ns);
        grow(&mut self.counted.ran_ns, ns);
        self.vigil.reads += 2 * ns / READ;
    }

    /// It is taken away for so long, which the kernel shows by `how`; then the cause is looked for.
    pub(super) fn away(&mut self, ns: u64, how: impl FnOnce(&mut Counted)) {
        let from = self.now;
        self.now = self.now.wrapping_add(2 * ns);
        grow(&mut self.counted.raw_ns, ns);
        how(&mut self.counted);
        let seen = self.counted.since(&self.last);
        self.lot.absences.push(Absence { from, length: 2 * ns, seen, migrated: false, in_look: false });
        self.last = self.counted;
        self.now = self.now.wrapping_add(LOOK);
        grow(&mut self.counted.raw_ns, LOOK / 2);
        grow(&mut self.counted.ran_ns, LOOK / 2);
        self.vigil.looks += 1;
        self.vigil.looking += LOOK;
    }

    pub(super) fn end(&self) -> CpuInterruptions {
        let mut all = Interruptions::default();
        all.wall(self.start, 1_234_567_890_000_000_000);
        // In lots, as they come.
        for lot in self.lot.absences.chunks(7) {
            all.absences(&Absences { cpu: 3, absences: lot.to_vec() }, TICK);
        }
        all.vigil(&Vigil { end: self.now, ..self.vigil.clone() });
        all.state(self.start, TICK).remove(0)
    }

    /// An interrupt of some microseconds, as each of those below brings one.
    pub(super) fn interrupt(counted: &mut Counted, ns: u64) {
        grow(&mut counted.ran_ns, ns);
        grow(&mut counted.interrupts, 1);
    }

    /// One time away for a cause; returns how long.
    pub(super) fn by(&mut self, cause: Cause) -> u64 {
        let short = 1500 + self.random.u64(0..3000);
        let long = 1_000_000 + self.random.u64(0..7_000_000);
        let wait = |counted: &mut Counted, ns: u64, switch: u64| {
            grow(&mut counted.waited_ns, ns - switch);
            grow(&mut counted.ran_ns, switch);
            grow(&mut counted.involuntary, 1);
            grow(&mut counted.interrupts, 1 + ns / 4_000_000);
        };
        let away = |counted: &mut Counted| {
            grow(&mut counted.voluntary, 1);
            grow(&mut counted.interrupts, 2);
        };
        match cause {
            Cause::Interrupt => self.away(short, |c| Self::interrupt(c, short)),
            Cause::PageFault => self.away(short, |c| {
                grow(&mut c.ran_ns, short);
                grow(&mut c.minor_faults, 1);
            }),
            Cause::Preempted => self.away(long, |c| wait(c, long, 3000)),
            Cause::Throttled => {
                // A quota of 20 ms in 100.
                let rest = 80_000_000;
                self.away(rest, |c| {
                    wait(c, rest, 3000);
                    grow(&mut c.throttled_ns, rest - 50_000);
                });
                return rest;
            }
            Cause::Stopped => self.away(long, |c| {
                away(c);
                grow(&mut c.continued, 1);
            }),
            Cause::Blocked => self.away(long, away),
            Cause::Stolen => {
                // The kernel shows it tick by tick.
                let stolen = long / 10_000_000 * 10_000_000;
                self.away(long, |c| {
                    grow(&mut c.stolen_ns, stolen);
                    grow(&mut c.interrupts, 1);
                });
            }
            Cause::Suspend => self.away(long, |c| {
                grow(&mut c.slept_ns, long);
                grow(&mut c.ran_ns, 0);
                *c = Counted { raw_ns: c.raw_ns.map(|ns| ns - long), ..*c };
            }),
            Cause::Unknown | Cause::Migrated => self.away(short, |c| grow(&mut c.ran_ns, short)),
        }
        if [Cause::Interrupt, Cause::PageFault, Cause::Unknown].contains(&cause) { short } else { long }
    }
}
