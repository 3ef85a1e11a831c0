//! Readings of the wall clock: a line, and what its slot adds to it.

use core::sync::atomic::Ordering::{Acquire, Relaxed};

use super::{Chain, FOR_GOOD, Reading};
use crate::{
    discipline::Fit,
    hardware::{Hardware, Rules},
    line::SHIFT,
    ring::{POINTER, Refused},
    wall::{Accuracy, Offset, UNASKED, Unbounded, Wall, WallReading, Within, reading},
    word::Word,
};

/// How often a reading tries to find a line, before it does without. One or two do, unless lines are so short
/// that they end while they are laid.
const TRIES: u32 = 8;

/// A reading of the wall clock and what makes it of the time, both of one setting of that clock.
#[cfg_attr(not(feature = "std"), allow(dead_code, reason = "for conversions, which a timeline has none of"))]
pub(super) struct WallSeen {
    pub(super) reading: WallReading,
    /// What is added to the time; 0: not known (nobody asked for bounds, or the clocks fail).
    pub(super) offset: u64,
    /// By how much that may be wrong beyond what the reading's bounds have room for, ns.
    pub(super) doubt: u64,
}

impl WallSeen {
    fn of(reading: WallReading, offset: u64) -> Self {
        Self { reading, offset, doubt: 0 }
    }
}

impl<W: Word, const N: usize> Chain<W, N> {
    /// UNIX time, ns. As ordered as [`now`](Self::now) as long as the wall clock is not set.
    #[inline(always)]
    pub(crate) fn wall(&self, hw: &impl Hardware) -> i64 {
        let state = self.state.load(Acquire);
        if state & POINTER != 0 {
            let words = self.ring.words(state);
            let run = hw.ordered().wrapping_sub(words[0].load(Relaxed));
            let [len, base, mult, offset] = core::array::from_fn(|i| words[i + 1].load(Relaxed));
            W::fence(Acquire);
            if run < len && offset != 0 && self.state.load(Relaxed) == state {
                return base.wrapping_add(run.wrapping_mul(mult) >> SHIFT).wrapping_add(offset) as i64;
            }
        }
        self.wall_slow(hw, false).reading.ns
    }

    /// UNIX time with its bounds, from one reading.
    #[inline(always)]
    pub(crate) fn wall_with_bounds(&self, hw: &impl Hardware) -> WallReading {
        let state = self.state.load(Acquire);
        if state & POINTER != 0 {
            let words = self.ring.words(state);
            let run = hw.ordered().wrapping_sub(words[0].load(Relaxed));
            let [len, base, mult] = core::array::from_fn(|i| words[i + 1].load(Relaxed));
            let wall = core::array::from_fn(|i| words[i + 4].load(Relaxed));
            W::fence(Acquire);
            if run < len && wall[1] != UNASKED && self.state.load(Relaxed) == state {
                return reading(base.wrapping_add(run.wrapping_mul(mult) >> SHIFT), run, wall);
            }
        }
        self.wall_slow(hw, true).reading
    }

    /// What is added to the time for the wall clock at present, and by how much it may be wrong, ns. About 0.1 µs.
    pub(crate) fn wall_offset(&self, hw: &impl Hardware) -> Option<(u64, u64)> {
        let shift = self.shift.load(Acquire);
        let seen = Offset::take(hw)?.behind(shift);
        W::fence(Acquire);
        if self.shift.load(Relaxed) != shift {
            return None;
        }
        loop {
            let known = self.offset.load(Relaxed);
            let (offset, off) = seen.follow(known);
            // Another thread may have found it to be more meanwhile.
            if offset == known || self.offset.swap_if(known, offset) {
                return Some((offset, off));
            }
        }
    }

    /// UNIX time, by request with its bounds, and what makes it of the time.
    #[cold]
    #[inline(never)]
    pub(super) fn wall_slow(&self, hw: &impl Hardware, bounds: bool) -> WallSeen {
        for _ in 0..TRIES {
            let state = self.state.load(Acquire);
            if state & POINTER == 0 {
                if state & FOR_GOOD != 0 {
                    return self.wall_by_system(hw, bounds);
                }
                let reading = self.slow(hw);
                if self.state.load(Acquire) & (POINTER | FOR_GOOD) == 0 {
                    return self.wall_at_start(hw, reading, bounds);
                }
                continue;
            }
            let Some(words) = self.ring.read(&self.state, state) else { continue };
            let fit = Fit::of_words(&words);
            let ticks = hw.ordered();
            let (ns, run) = match fit.line.at(ticks) {
                Some(ns) => (ns, ticks.wrapping_sub(fit.line.start)),
                // This CPU's counter is behind, which is for `slow` to judge.
                None if fit.just_before(ticks) => (fit.line.base.min(self.slow(hw).ns), 0),
                None => {
                    self.slow(hw);
                    continue;
                }
            };
            if fit.wall.offset != 0 && !(bounds && fit.wall.is_unasked()) {
                return WallSeen::of(fit.wall.reading(ns, run), fit.wall.offset);
            }
            // The same line once more, so that time stays as ordered as it was, with the wall clock's part.
            let Some(wall) = self.wall_along(hw, &fit, bounds) else { return self.wall_as_it_was(hw, ns, bounds) };
            if self.ring.publish(&self.state, state, &Fit { wall, ..fit }.words()) == Err(Refused::Full) {
                return WallSeen::of(wall.reading(ns, run), wall.offset);
            }
        }
        let time = self.slow(hw);
        self.wall_at_start(hw, time, bounds)
    }

    /// At the time `ns`, while the clocks fail: by the difference that was found last.
    fn wall_as_it_was(&self, hw: &impl Hardware, ns: u64, bounds: bool) -> WallSeen {
        match self.offset.load(Relaxed) {
            0 => self.wall_by_system(hw, bounds),
            offset => {
                let failing = Err(Unbounded::ClockFails);
                WallSeen::of(WallReading::new(ns.wrapping_add(offset) as i64, failing, failing), offset)
            }
        }
    }

    /// A new line with the wall clock's part, where anybody has asked for that.
    pub(super) fn with_wall(&self, hw: &impl Hardware, fit: Fit) -> Fit {
        let wall = if self.offset.load(Relaxed) == 0 { None } else { self.wall_along(hw, &fit, false) };
        // Where the clock fails, the next one to ask finds out.
        Fit { wall: Wall { marker: hw.marker(), ..wall.unwrap_or_default() }, ..fit }
    }

    /// The wall clock's part for the line of `fit`; if `ask`, with an answer to how far it is off. `None`: it can't be read.
    fn wall_along(&self, hw: &impl Hardware, fit: &Fit, ask: bool) -> Option<Wall> {
        let (offset, off) = self.wall_offset(hw)?;
        let wall = Wall { offset, within: UNASKED, ..fit.wall };
        Some(if ask { wall.along(self.accuracy(hw, (offset, off)), fit, off, Rules::of(hw)) } else { wall })
    }

    /// How far the wall clock is off that differs by `offset`, give or take `off`; it may be set while that is asked for.
    fn accuracy(&self, hw: &impl Hardware, (offset, off): (u64, u64)) -> Accuracy {
        let accuracy = hw.accuracy();
        let Ok(Within { ns, growth_ppb }) = accuracy.error else { return accuracy };
        // A narrower bracket than before puts the difference elsewhere within the doubt there was: that counts to the bound.
        match self.wall_offset(hw).and_then(|(now, _)| Offset::moved(offset, now, off)) {
            Some(moved) => Accuracy { error: Ok(Within { ns: ns.saturating_add(moved), growth_ppb }), ..accuracy },
            None => Accuracy::unbounded(Unbounded::JustSet),
        }
    }

    /// Until there is a line, or where lines end as they are laid: `time`, and what is added to it.
    fn wall_at_start(&self, hw: &impl Hardware, time: Reading, bounds: bool) -> WallSeen {
        let Some((offset, off)) = self.wall_offset(hw) else { return self.wall_as_it_was(hw, time.ns, bounds) };
        let ns = time.ns.wrapping_add(offset) as i64;
        let error = self.error(hw, (offset, off), ns, bounds);
        let with = |uncertainty: Option<u64>| {
            let line = uncertainty.ok_or(Unbounded::ClockFails)?;
            Ok(error?.saturating_add(line).saturating_add(off))
        };
        let reading = WallReading::new(ns, with(time.uncertainty_ns), with(time.uncertainty_if_steady_ns));
        WallSeen::of(reading, offset)
    }

    /// By the system's wall clock itself.
    fn wall_by_system(&self, hw: &impl Hardware, bounds: bool) -> WallSeen {
        // Before the clock and after its accuracy, so that all is of the same clock.
        let before = if bounds { self.wall_offset(hw) } else { None };
        let Some(ns) = hw.wall_ns() else {
            let ns = self.slow(hw).ns.wrapping_add(self.offset.load(Relaxed)) as i64;
            let reading = WallReading::new(ns, Err(Unbounded::ClockFails), Err(Unbounded::ClockFails));
            return WallSeen::of(reading, self.offset.load(Relaxed));
        };
        let error = before.ok_or(Unbounded::ClockFails).and_then(|offset| self.error(hw, offset, ns, bounds));
        let error = error.map(|error| error.saturating_add(hw.wall_step_ns()));
        let (offset, doubt) = before.unwrap_or_default();
        WallSeen { reading: WallReading::new(ns, error, error), offset, doubt }
    }

    /// How far the system's wall clock, which shows `ns`, is from UTC, ns.
    fn error(&self, hw: &impl Hardware, offset: (u64, u64), ns: i64, asked: bool) -> Result<u64, Unbounded> {
        if asked { self.accuracy(hw, offset).at(ns) } else { Err(Unbounded::NobodySays) }
    }
}
