//! Readings of the wall clock: a line, and what its slot adds to it.

use core::sync::atomic::Ordering::{Acquire, Relaxed};

use super::{Chain, FOR_GOOD};
use crate::{
    discipline::{Fit, WRONG},
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

/// How far the wall clock is ahead of the time, and what it was found from, ns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ahead {
    pub(crate) offset: u64,
    /// By how much that may be wrong.
    off: u64,
    /// What the system's clock showed before the wall clock.
    begun: u64,
    /// What the wall clock showed.
    shown: i64,
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

    /// What is added to the time for the wall clock at present. About 0.1 µs.
    pub(crate) fn wall_offset(&self, hw: &impl Hardware) -> Option<Ahead> {
        let shift = self.shift.load(Acquire);
        let (seen, begun, shown) = Offset::take(hw)?;
        let seen = seen.behind(shift);
        W::fence(Acquire);
        if self.shift.load(Relaxed) != shift {
            return None;
        }
        loop {
            let known = self.offset.load(Relaxed);
            let (offset, off) = seen.follow(known);
            // Another thread may have found it to be more meanwhile.
            if offset == known || self.offset.swap_if(known, offset) {
                return Some(Ahead { offset, off, begun, shown });
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
                let seen = self.wall_at_start(hw, bounds);
                if self.state.load(Acquire) & (POINTER | FOR_GOOD) == 0 {
                    return seen;
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
                break;
            }
        }
        self.wall_at_start(hw, bounds)
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
        let ahead = self.wall_offset(hw)?;
        let wall = Wall { offset: ahead.offset, within: UNASKED, ..fit.wall };
        Some(if ask { wall.along(self.accuracy(hw, ahead), fit, ahead.off, Rules::of(hw)) } else { wall })
    }

    /// How far the wall clock is off that was found to be so far ahead; it may be set while that is asked for. To it comes by how
    /// much what was found since may differ, beyond the doubt of what was found first.
    fn accuracy(&self, hw: &impl Hardware, first: Ahead) -> Accuracy {
        let accuracy = hw.accuracy();
        let Ok(Within { ns, growth_ppb }) = accuracy.error else { return accuracy };
        let moved = self.wall_offset(hw).and_then(|then| {
            let moved = Offset::moved(first.offset, then.offset, first.off)?;
            Some(moved.saturating_add(then.off.saturating_sub(first.off)))
        });
        match moved {
            Some(moved) => Accuracy { error: Ok(Within { ns: ns.saturating_add(moved), growth_ppb }), ..accuracy },
            None => Accuracy::unbounded(Unbounded::JustSet),
        }
    }

    /// Until there is a line, or where lines end as they are laid: the time, and what is added to it.
    fn wall_at_start(&self, hw: &impl Hardware, bounds: bool) -> WallSeen {
        let begun = if bounds { hw.system_ns() } else { None };
        let time = self.slow(hw);
        let Some(ahead) = self.wall_offset(hw) else { return self.wall_as_it_was(hw, time.ns, bounds) };
        let ns = time.ns.wrapping_add(ahead.offset) as i64;
        let error = if bounds { self.error(hw, ahead, begun, ns) } else { Err(Unbounded::NobodySays) };
        let with = |uncertainty: Option<u64>| {
            let line = uncertainty.ok_or(Unbounded::ClockFails)?;
            Ok(error?.saturating_add(line).saturating_add(ahead.off))
        };
        let reading = WallReading::new(ns, with(time.uncertainty_ns), with(time.uncertainty_if_steady_ns));
        WallSeen::of(reading, ahead.offset)
    }

    /// By the system's wall clock itself.
    fn wall_by_system(&self, hw: &impl Hardware, bounds: bool) -> WallSeen {
        let alone = if bounds { None } else { hw.wall_ns() };
        if let Some(ns) = alone {
            let nobody = Err(Unbounded::NobodySays);
            return WallSeen::of(WallReading::new(ns, nobody, nobody), 0);
        }
        // Between two of the other clock, and again after its accuracy: so that is seen whether all is of one setting.
        let Some(ahead) = self.wall_offset(hw) else {
            let offset = self.offset.load(Relaxed);
            let failing = Err(Unbounded::ClockFails);
            let ns = hw.wall_ns().unwrap_or_else(|| self.slow(hw).ns.wrapping_add(offset) as i64);
            return WallSeen::of(WallReading::new(ns, failing, failing), offset);
        };
        // The doubt of what was found both times.
        let doubt = ahead.off.saturating_mul(2).saturating_add(hw.wall_step_ns());
        let error = self.error(hw, ahead, Some(ahead.begun), ahead.shown).map(|error| error.saturating_add(doubt));
        WallSeen { reading: WallReading::new(ahead.shown, error, error), offset: ahead.offset, doubt: ahead.off }
    }

    /// How far the system's wall clock, which showed `ns` after the system's clock showed `begun`, was from UTC then, ns. The
    /// answer is of the moment at which it is given, and until then the clock may have been slewed towards UTC.
    fn error(&self, hw: &impl Hardware, ahead: Ahead, begun: Option<u64>, ns: i64) -> Result<u64, Unbounded> {
        let error = self.accuracy(hw, ahead).at(ns)?;
        let (begun, now) = begun.zip(hw.system_ns()).ok_or(Unbounded::ClockFails)?;
        let since = now.checked_sub(begun).ok_or(Unbounded::JustSet)?;
        Ok(error.saturating_add((since as f64 * WRONG) as u64 + 1))
    }
}
