//! The three loops: many reads in a row, reads with random pauses, and single reads between stamps.

use clockscope_analysis::trace::{Bracketed, Chain, Description, Row, Singles};

use super::skew::Worker;
use super::threads::Pairing;
use super::timed;
use super::witness::{Stamper, Witness, with_stamper};
use crate::catalog::Clock;

/// Most reads in one run: their room stays within the first-level cache.
pub const MOST_READS: usize = 1024;

/// A clock with its loops; what `measure` makes of a clock of the catalog.
pub trait Meter {
    /// What is known of it.
    fn description(&self) -> &Description;

    /// `reads` reads in a row (at most [`MOST_READS`]) between two stamps of `witness`, timed by `timer`. Of `row` all is
    /// overwritten but clock and role.
    fn row(&mut self, timer: &Witness, witness: &Witness, reads: usize, row: &mut Row);

    /// As `row`, with a chain of 0 to `most_steps` dependent multiplications (about a nanosecond each) before each
    /// read, its length drawn from `random`: so that reading does not lock to the clock's own rhythm.
    fn dithered(&mut self, witness: &Witness, reads: usize, most_steps: u32, random: &mut u64, row: &mut Row);

    /// Up to `reads` reads, each between two stamps of its own. Ends early, after the read concerned, when two
    /// adjacent stamps are more than `gap` counts apart, so that the cause can be looked for at once. Of `out` all is
    /// overwritten but clock, purpose and third clock.
    fn singles(&mut self, witness: &Witness, reads: usize, gap: i64, out: &mut Singles);

    /// Times one chain for each of these, whose steps say how long, with `timer` around it; all of the reads are a row.
    fn timed(&mut self, timer: &Witness, witness: &Witness, random: &mut u64, chains: &mut [Chain], row: &mut Row);

    /// Start-stop pairs with nothing in between: half of [`MOST_READS`], or none where a read failed. Says how many did.
    fn empties(&mut self, differences: &mut Vec<i64>) -> u64;

    /// The same clock for a thread of its own, to be read there beside another thread.
    fn worker(&self) -> Box<dyn Worker>;

    /// The same clock for a thread of its own that times nothing with it.
    fn pairing(&self) -> Box<dyn Pairing>;
}

/// A meter for a clock.
pub fn metered<C: Clock>(description: Description, clock: C) -> Box<dyn Meter> {
    Box::new(Metered { description, clock, room: vec![C::room(); MOST_READS] })
}

struct Metered<C: Clock> {
    description: Description,
    clock: C,
    room: Vec<C::Raw>,
}

impl<C: Clock> Meter for Metered<C> {
    fn description(&self) -> &Description {
        &self.description
    }

    fn worker(&self) -> Box<dyn Worker> {
        Box::new(self.clock)
    }

    fn pairing(&self) -> Box<dyn Pairing> {
        Box::new(self.clock)
    }

    fn row(&mut self, timer: &Witness, witness: &Witness, reads: usize, row: &mut Row) {
        self.batch(witness, reads, row, |clock, room| {
            let mut failed = 0;
            let timed = with_stamper!(timer, |t| {
                let start = t.stamp();
                for slot in room {
                    failed += u64::from(clock.call(slot) != 0);
                }
                t.stamp().since(start)
            });
            (failed, timed)
        });
    }

    fn dithered(&mut self, witness: &Witness, reads: usize, most_steps: u32, random: &mut u64, row: &mut Row) {
        self.batch(witness, reads, row, |clock, room| {
            let mut failed = 0;
            for slot in room {
                pause(random, most_steps);
                failed += u64::from(clock.call(slot) != 0);
            }
            (failed, 0)
        });
    }

    fn timed(&mut self, timer: &Witness, witness: &Witness, random: &mut u64, chains: &mut [Chain], row: &mut Row) {
        self.batch(witness, 2 * chains.len(), row, |clock, room| {
            (with_stamper!(timer, |t| timed::lot(clock, || t.stamp(), random, chains, room)), 0)
        });
    }

    fn empties(&mut self, differences: &mut Vec<i64>) -> u64 {
        timed::empties(self.clock, &mut self.room, differences)
    }

    fn singles(&mut self, witness: &Witness, reads: usize, gap: i64, out: &mut Singles) {
        let clock = self.clock;
        out.reads.clear();
        out.cpus.clear();
        (out.failed, out.gap) = (0, None);
        let mut raw = C::room();
        with_stamper!(witness, |w| {
            let mut last = w.stamp();
            out.start = last;
            for _ in 0..reads {
                let before = w.stamp();
                let failed = clock.call(&mut raw) != 0;
                let after = w.stamp();
                if after.cpu != last.cpu {
                    out.cpus.push((out.reads.len(), after.cpu));
                }
                if failed {
                    out.failed += 1;
                } else {
                    let value = C::count(&raw);
                    out.reads.push(Bracketed { before: before.count, value, after: after.count });
                }
                if after.since(last) > gap {
                    out.gap = Some((last, after));
                    return;
                }
                last = after;
            }
        });
    }
}

impl<C: Clock> Metered<C> {
    /// Reads by `all`, which gives the failures and the time that it took, between two stamps; what was read is decoded
    /// after them.
    #[inline(always)]
    fn batch(
        &mut self,
        witness: &Witness,
        reads: usize,
        row: &mut Row,
        all: impl FnOnce(C, &mut [C::Raw]) -> (u64, i64),
    ) {
        let room = &mut self.room[..reads.min(MOST_READS)];
        row.before = witness.stamp();
        (row.failed, row.timed) = all(self.clock, room);
        row.after = witness.stamp();
        row.values.clear();
        if row.failed == 0 {
            row.values.extend(room.iter().map(C::count));
        }
    }
}

/// A chain of 0 to `most_steps` dependent multiplications; leaves the generator moved on by as many steps.
#[inline(always)]
pub fn pause(random: &mut u64, most_steps: u32) {
    let x = step(*random);
    let steps = ((x >> 32) * u64::from(most_steps)) >> 32;
    *random = chain(x, steps as u32);
}

/// So many dependent multiplications, one to two nanoseconds each. One piece of code for all who call it: a copy of it may run
/// at another speed.
#[inline(never)]
pub(super) fn chain(mut x: u64, steps: u32) -> u64 {
    for _ in 0..steps {
        x = step(x);
        // SAFETY: no instruction; it keeps each step a step of its own, in a register, since what passes through memory takes
        // longer at some addresses.
        unsafe { std::arch::asm!("/* {x} */", x = inout(reg) x, options(nomem, nostack, preserves_flags)) };
    }
    x
}

/// Knuth's MMIX generator; its upper bits are good enough for a pause.
pub(crate) fn step(x: u64) -> u64 {
    x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407)
}
