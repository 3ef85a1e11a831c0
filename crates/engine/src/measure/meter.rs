//! The three loops: many reads in a row, reads with random pauses, and single reads between stamps.

use super::skew::{Hopper, hopper};
use super::witness::{ByCounter, Stamp, Stamper, Witness};
use crate::catalog::{Clock, Description, Gettime};

/// Most reads in one run: their room stays within the first-level cache.
pub const MOST_READS: usize = 1024;

/// A clock with its loops; what `measure` makes of a clock of the catalog.
pub trait Meter {
    /// What is known of it.
    fn description(&self) -> &Description;

    /// `reads` reads in a row (at most [`MOST_READS`]) between two stamps. `run` is overwritten.
    fn row(&mut self, timer: &Witness, witness: &Witness, reads: usize, run: &mut Run);

    /// As `row`, with a chain of 0 to `most_steps` dependent multiplications (about a nanosecond each) before each
    /// read, its length drawn from `random`: so that reading does not lock to the clock's own rhythm.
    fn dithered(&mut self, witness: &Witness, reads: usize, most_steps: u32, random: &mut u64, run: &mut Run);

    /// Up to `reads` reads, each between two stamps of its own. Ends early, after the read concerned, when two
    /// adjacent stamps are more than `gap` counts apart, so that the cause can be looked for at once.
    fn singles(&mut self, witness: &Witness, reads: usize, gap: i64, out: &mut Singles);

    /// The same clock with room of its own.
    fn twin(&self) -> Box<dyn Meter>;

    /// The same clock for another thread, to be read there beside a third one.
    fn hopper(&self) -> Box<dyn Hopper>;
}

/// Reads in a row.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// The witness before the first read.
    pub before: Stamp,
    /// The witness after the last one.
    pub after: Stamp,
    /// Time that the row took, in counts of the timer.
    pub timed: i64,
    /// What was read, in the clock's counts.
    pub values: Vec<u64>,
    /// Reads that returned an error; `values` is empty then, for which ones failed is not known.
    pub failed: u64,
}

/// One read between two stamps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Single {
    /// The witness before.
    pub before: Stamp,
    /// The witness after.
    pub after: Stamp,
    /// What was read; `None`: the call failed.
    pub value: Option<u64>,
}

/// Reads between stamps of their own.
#[derive(Debug, Clone, Default)]
pub struct Singles {
    /// The witness before all of them.
    pub start: Stamp,
    /// The reads, oldest first.
    pub reads: Vec<Single>,
    /// Whether the last one ended, or followed, a gap.
    pub gap: bool,
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

/// Calls `$body` with `$w` being the witness's own type.
macro_rules! with_stamper {
    ($witness:expr, |$w:ident| $body:expr) => {
        match $witness {
            Witness::Counter => {
                let $w = ByCounter;
                $body
            }
            Witness::Kernel(_, Gettime::Libc($w)) => $body,
            Witness::Kernel(_, Gettime::Vdso($w)) => $body,
            Witness::Kernel(_, Gettime::Syscall($w)) => $body,
        }
    };
}

impl<C: Clock> Meter for Metered<C> {
    fn description(&self) -> &Description {
        &self.description
    }

    fn twin(&self) -> Box<dyn Meter> {
        metered(self.description.clone(), self.clock)
    }

    fn hopper(&self) -> Box<dyn Hopper> {
        hopper(self.clock)
    }

    fn row(&mut self, timer: &Witness, witness: &Witness, reads: usize, run: &mut Run) {
        let clock = self.clock;
        let room = &mut self.room[..reads.min(MOST_READS)];
        let mut failed = 0;
        let before = witness.stamp();
        let timed = with_stamper!(timer, |t| {
            let start = t.stamp();
            for slot in room.iter_mut() {
                failed += u64::from(clock.call(slot) != 0);
            }
            t.stamp().since(start)
        });
        let after = witness.stamp();
        finish::<C>(run, room, failed);
        (run.before, run.after, run.timed) = (before, after, timed);
    }

    fn dithered(
        &mut self,
        witness: &Witness,
        reads: usize,
        most_steps: u32,
        random: &mut u64,
        run: &mut Run,
    ) {
        let clock = self.clock;
        let room = &mut self.room[..reads.min(MOST_READS)];
        let mut failed = 0;
        let before = witness.stamp();
        for slot in room.iter_mut() {
            pause(random, most_steps);
            failed += u64::from(clock.call(slot) != 0);
        }
        let after = witness.stamp();
        let timed = after.since(before);
        finish::<C>(run, room, failed);
        (run.before, run.after, run.timed) = (before, after, timed);
    }

    fn singles(&mut self, witness: &Witness, reads: usize, gap: i64, out: &mut Singles) {
        let clock = self.clock;
        out.reads.clear();
        out.gap = false;
        let mut raw = C::room();
        with_stamper!(witness, |w| {
            let mut last = w.stamp();
            out.start = last;
            for _ in 0..reads {
                let before = w.stamp();
                let failed = clock.call(&mut raw);
                let after = w.stamp();
                let value = (failed == 0).then(|| C::count(&raw));
                out.reads.push(Single { before, after, value });
                if after.since(last) > gap {
                    out.gap = true;
                    return;
                }
                last = after;
            }
        });
    }
}

/// Decodes a row after its timed part.
fn finish<C: Clock>(run: &mut Run, room: &[C::Raw], failed: u64) {
    run.values.clear();
    run.failed = failed;
    if failed == 0 {
        run.values.extend(room.iter().map(C::count));
    }
}

/// A chain of 0 to `most_steps` dependent multiplications; leaves the generator moved on by as many steps.
#[inline(always)]
pub fn pause(random: &mut u64, most_steps: u32) {
    // Knuth's MMIX generator; its upper bits are good enough for a pause.
    let step = |x: u64| x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let mut x = step(*random);
    let steps = ((x >> 32) * u64::from(most_steps)) >> 32;
    for _ in 0..steps {
        x = std::hint::black_box(step(x));
    }
    *random = x;
}
