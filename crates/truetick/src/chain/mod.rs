//! The clock: time as one function of the counter, and the machine that keeps it true.
//!
//! One word, the *state*, says what time is made of now: a pointer to a published line ([`Fit`]), or the
//! greatest value handed out so far while the system's clock is used. Every read takes its value under a state
//! that it has seen, and states follow one another such that each one's values are at least all of the one
//! before. So two reads of which one happens before the other are ordered by their states, and within one state
//! by the counter (a line), or by the greatest value handed out (the system's clock). That is the whole argument
//! for 'never back'; it needs neither an exact line nor an honest uncertainty. docs/method/truetick.md spells it
//! out.

mod by_line;
mod by_system;
mod by_wall;
mod check;
#[cfg(feature = "std")]
mod convert;
mod reading;
#[cfg(feature = "std")]
mod recent;
#[cfg(feature = "std")]
#[cfg_attr(all(target_arch = "x86_64", target_pointer_width = "64", not(miri)), path = "stamp_x86_64.rs")]
mod stamp;
mod start;

pub use check::Epoch;
use check::{Compared, Comparison};
pub use reading::Reading;
use reading::{by_clock, by_fit};

use core::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use crate::{
    discipline::{Fit, WORDS},
    hardware::Hardware,
    line::SHIFT,
    ring::{POINTER, Ring},
    source::{Choice, Source, Why},
    word::Word,
};

/// Slots of the process-wide ring: many more than threads can be between a claim and a publication.
pub(crate) const SLOTS: usize = 64;
/// In a state that is no pointer: the system's clock is used for good.
const FOR_GOOD: u64 = 2;
const NS_SHIFT: u32 = 2;
/// The greatest time that a state can hold, ns: 146 years.
const MAX_NS: u64 = u64::MAX >> NS_SHIFT;

/// A clock, of any kind of word: behind the process-wide one, and [`Timeline`](crate::timeline::Timeline).
///
/// The ring and the state first: src/layout.rs tells others where they are.
#[repr(C)]
pub(crate) struct Chain<W = AtomicU64, const N: usize = SLOTS> {
    ring: Ring<W, N, WORDS>,
    state: W,
    /// Points at the comparisons from which the first line is going to be made; 0: there are none.
    start: W,
    /// 0: not chosen yet; else a [`Choice`].
    choice: W,
    /// When the counter jumped last (ms of the system's clock, 56 bits), and how often in a row.
    jumps: W,
    /// When the system was asked last whether it still uses the counter (ms, 56 bits), and how often in a row it did not.
    asked: W,
    /// While the system's clock is used for good: no reading of it exceeds this, ns. What is handed out when that
    /// clock fails.
    lease: W,
    /// What is added to the system's clock, ns: by how much it has been set back.
    shift: W,
    /// Until the system's clock shows this, time runs at half its rate: it was ahead. ns.
    meet: W,
    /// [`Epoch`]'s.
    unsteady: W,
    /// [`Epoch`]'s.
    untold: W,
    /// [`Epoch`]'s.
    discontinuities: W,
    /// What is added for the wall clock, as it was found last, ns; 0: nobody has asked for it.
    offset: W,
}

/// What a timeline stands on at the moment.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "returned once, for reports; without allocation")]
pub(crate) enum Basis {
    /// The system's clock, for good.
    System,
    /// The system's clock, until a line is found.
    Starting,
    /// A line.
    Line(Fit),
}

impl<const N: usize> Chain<AtomicU64, N> {
    /// A clock for a `static`. Nothing is read before its first reading.
    #[must_use]
    pub(crate) const fn new() -> Self {
        Self {
            state: AtomicU64::new(0),
            start: AtomicU64::new(0),
            choice: AtomicU64::new(0),
            jumps: AtomicU64::new(0),
            asked: AtomicU64::new(0),
            lease: AtomicU64::new(0),
            shift: AtomicU64::new(0),
            meet: AtomicU64::new(0),
            unsteady: AtomicU64::new(0),
            untold: AtomicU64::new(0),
            discontinuities: AtomicU64::new(0),
            offset: AtomicU64::new(0),
            ring: Ring::<AtomicU64, N, WORDS>::new(),
        }
    }
}

impl<const N: usize> Default for Chain<AtomicU64, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<W: Word, const N: usize> Chain<W, N> {
    /// A clock of any kind of word.
    #[must_use]
    #[cfg(test)]
    pub(crate) fn of_words() -> Self {
        let word = || W::new(0);
        Self {
            state: word(),
            start: word(),
            choice: word(),
            jumps: word(),
            asked: word(),
            lease: word(),
            shift: word(),
            meet: word(),
            unsteady: word(),
            untold: word(),
            discontinuities: word(),
            offset: word(),
            ring: Ring::of_words(),
        }
    }

    /// The time, ns; never less than any reading that happened before, on any thread.
    #[inline(always)]
    pub(crate) fn now(&self, hw: &impl Hardware) -> u64 {
        self.read(hw, true)
    }

    /// The time, ns; never less than an earlier reading of the same thread.
    #[inline(always)]
    pub(crate) fn now_relaxed(&self, hw: &impl Hardware) -> u64 {
        self.read(hw, false)
    }

    #[inline(always)]
    fn read(&self, hw: &impl Hardware, ordered: bool) -> u64 {
        let state = self.state.load(Acquire);
        if state & POINTER != 0 {
            // `Line::at`, on words that count only if the state is still the same afterwards.
            let words = self.ring.words(state);
            let ticks = if ordered { hw.ordered() } else { hw.relaxed() };
            let run = ticks.wrapping_sub(words[0].load(Relaxed));
            let (len, base, mult) = (words[1].load(Relaxed), words[2].load(Relaxed), words[3].load(Relaxed));
            W::fence(Acquire);
            if run < len && self.state.load(Relaxed) == state {
                return base.wrapping_add(run.wrapping_mul(mult) >> SHIFT);
            }
        }
        self.slow(hw).ns
    }

    /// The time with its uncertainty; ordered as [`now`](Self::now).
    #[cold]
    #[inline(never)]
    pub(crate) fn slow(&self, hw: &impl Hardware) -> Reading {
        loop {
            let state = self.state.load(Acquire);
            let reading = if state & POINTER != 0 { self.by_line(hw, state) } else { self.by_system(hw, state) };
            if let Some(reading) = reading {
                return reading;
            }
        }
    }

    fn source(&self, hw: &impl Hardware) -> Source {
        if let Some(choice) = Choice::of_word(self.choice.load(Relaxed)) {
            return choice.source;
        }
        let choice = hw.choose();
        // The first one to choose has chosen for all.
        self.choice.swap_if(0, choice.word());
        Choice::of_word(self.choice.load(Relaxed)).map_or(choice.source, |c| c.source)
    }

    fn given_up(&self) -> bool {
        self.choice().is_some_and(|c| c.source == Source::System)
    }

    fn give_up(&self, why: Why) {
        self.choice.store(Choice { source: Source::System, why }.word(), Release);
    }

    fn system_state(&self, ns: u64) -> u64 {
        ns.min(MAX_NS) << NS_SHIFT | if self.given_up() { FOR_GOOD } else { 0 }
    }

    /// What the readings stand on at the moment.
    pub(crate) fn basis(&self) -> Basis {
        loop {
            let state = self.state.load(Acquire);
            match (state & POINTER, state & FOR_GOOD) {
                (0, 0) => return Basis::Starting,
                (0, _) => return Basis::System,
                _ => {
                    if let Some(words) = self.ring.read(&self.state, state) {
                        return Basis::Line(Fit::of_words(&words));
                    }
                }
            }
        }
    }

    /// The counter's rate, Hz; `None`: it is not used, or its rate not known yet.
    pub(crate) fn frequency_hz(&self) -> Option<f64> {
        match self.basis() {
            Basis::Line(fit) => Some(1e9 / fit.rate),
            Basis::Starting | Basis::System => None,
        }
    }

    /// Which source was chosen and why; `None` before the first reading.
    pub(crate) fn choice(&self) -> Option<Choice> {
        Choice::of_word(self.choice.load(Relaxed))
    }
}
