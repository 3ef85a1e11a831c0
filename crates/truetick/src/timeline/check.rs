//! Comparisons of the two clocks, and what they say of what was stated before.

use core::sync::atomic::Ordering::{Acquire, Relaxed};

use super::{Basis, Reading, Timeline};
use crate::{
    discipline::{self, Seen},
    hardware::{Anchor, Hardware, Rules},
    word::Word,
};

/// What comparisons have found so far. Where nothing was added since a reading was made and a comparison after it, what
/// that reading stated has held. Comparisons that were made at once may count the same twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Epoch {
    /// How often the system's clock was found outside of the bound that a steady rate allows.
    pub unsteady: u64,
    /// How often a jump was found that no slew explains, of either clock, or that the system's clock was set back.
    pub discontinuities: u64,
}

/// What came of comparing.
pub(super) enum Comparison {
    Made(Compared),
    /// The system's clock fails.
    Failed,
    /// It was found to be set back meanwhile: look again.
    Overtaken,
}

/// The two clocks compared.
pub(super) struct Compared {
    /// With what the system's clock was set back by.
    pub(super) anchor: Anchor,
    /// The last counter value read for it.
    pub(super) start: u64,
    /// What was added.
    pub(super) shift: u64,
}

impl<W: Word, const N: usize> Timeline<W, N> {
    /// The time between two readings of the system's clock, and how far from both it is: nothing is assumed of how either
    /// clock goes, nor that it was not set back. Ordered as [`now`](Self::now).
    pub fn verified(&self, hw: &impl Hardware) -> Reading {
        let shown = || Some(hw.system_ns()?.wrapping_add(self.shift.load(Acquire)));
        let (before, reading, after) = (shown(), self.slow(hw), shown());
        let off = before.zip(after).map(|(before, after)| {
            let cut_off = hw.step_ns().max(1);
            reading.ns.abs_diff(before).max(reading.ns.abs_diff(after)).saturating_add(cut_off)
        });
        Reading { uncertainty_ns: off, uncertainty_if_steady_ns: off, ..reading }
    }

    /// Compares the two clocks now, where a line is in use, and says what was found so far: whether what earlier
    /// readings stated has held.
    pub fn check(&self, hw: &impl Hardware) -> Epoch {
        if let Basis::Line(fit) = self.basis()
            && let Comparison::Made(now) = self.compare(hw, fit.enough())
        {
            self.note(discipline::judge(&fit, now.anchor, Rules::of(hw)));
        }
        self.epoch()
    }

    /// What comparisons have found so far.
    pub fn epoch(&self) -> Epoch {
        Epoch { unsteady: self.unsteady.load(Acquire), discontinuities: self.discontinuities.load(Acquire) }
    }

    /// By how much the system's clock has been set back altogether, ns: readings are ahead of it by this for good.
    pub fn set_back_ns(&self) -> u64 {
        self.shift.load(Acquire)
    }

    pub(super) fn note(&self, seen: Seen) {
        let word = match seen {
            Seen::Steady => return,
            Seen::Unsteady => &self.unsteady,
            Seen::Jump | Seen::SetBack => &self.discontinuities,
        };
        loop {
            let count = word.load(Relaxed);
            if word.swap_if(count, count.wrapping_add(1)) {
                return;
            }
        }
    }

    /// A comparison of the counter with the system's clock and what that was set back by.
    pub(super) fn compare(&self, hw: &impl Hardware, enough: u64) -> Comparison {
        let shift = self.shift.load(Acquire);
        let taken = Anchor::take(hw, enough);
        W::fence(Acquire);
        if self.shift.load(Relaxed) != shift {
            return Comparison::Overtaken;
        }
        let Some((anchor, start)) = taken else { return Comparison::Failed };
        Comparison::Made(Compared { anchor: Anchor { ns: anchor.ns.wrapping_add(shift), ..anchor }, start, shift })
    }
}
