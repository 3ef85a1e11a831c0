//! The clock: time as one function of the counter, and the machine that keeps it true.
//!
//! One word, the *state*, says what time is made of now: a pointer to a published line ([`Fit`]), or the
//! greatest value handed out so far while the system's clock is used. Every read takes its value under a state
//! that it has seen, and states follow one another such that each one's values are at least all of the one
//! before. So two reads of which one happens before the other are ordered by their states, and within one state
//! by the counter (a line), or by the greatest value handed out (the system's clock). That is the whole argument
//! for 'never back'; it needs neither an exact line nor an honest uncertainty. docs/method/truetick.md spells it
//! out.

use core::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use crate::{
    discipline::{self, Fit, Interval, Next, SHORTEST_NS, STALE_NS},
    hardware::{Anchor, Hardware},
    line::SHIFT,
    ring::{POINTER, Refused, Ring},
    source::{Choice, Source, Why},
    word::Word,
};

/// Slots of the process-wide ring: many more than threads can be between a claim and a publication.
pub const SLOTS: usize = 64;
/// In a state that is no pointer: the system's clock is used for good.
const FOR_GOOD: u64 = 2;
const NS_SHIFT: u32 = 2;
/// The greatest time that a state can hold, ns: 146 years.
const MAX_NS: u64 = u64::MAX >> NS_SHIFT;
/// While the system's clock is used for good: how far ahead of its readings [`Timeline::lease`] is put, ns. One store
/// to shared memory in that time, instead of one a reading.
const LEASE_NS: u64 = 1_000_000;
/// Jumps less than a second apart after which the counter is given up.
const STRIKES: u64 = 8;

/// A clock. Reads never wait, never allocate, and may be made from signal handlers and after `fork`.
///
/// `N` slots; the process-wide one has [`SLOTS`]. Always call it with the same kind of hardware.
pub struct Timeline<W = AtomicU64, const N: usize = SLOTS> {
    state: W,
    /// Points at the comparisons from which the first line is going to be made; 0: there are none.
    start: W,
    /// 0: not chosen yet; else a [`Choice`].
    choice: W,
    /// When the counter jumped last (ms of the system's clock, 56 bits), and how often in a row.
    jumps: W,
    /// While the system's clock is used for good: no reading of it exceeds this, ns. What is handed out when that
    /// clock fails.
    lease: W,
    ring: Ring<W, N, 16>,
}

/// A reading with its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// The time, ns of the system's monotonic clock.
    pub ns: u64,
    /// The system's clock lay within this of `ns` when it was read; `None`: that clock fails, nothing is known.
    pub uncertainty_ns: Option<u64>,
}

/// What a timeline stands on at the moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Basis {
    /// The system's clock, for good.
    System,
    /// The system's clock, until a line is found.
    Starting,
    /// A line.
    Line(Fit),
}

impl<const N: usize> Timeline<AtomicU64, N> {
    /// A clock for a `static`. Nothing is read before its first reading.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            state: AtomicU64::new(0),
            start: AtomicU64::new(0),
            choice: AtomicU64::new(0),
            jumps: AtomicU64::new(0),
            lease: AtomicU64::new(0),
            ring: Ring::<AtomicU64, N, 16>::new(),
        }
    }
}

impl<const N: usize> Default for Timeline<AtomicU64, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<W: Word, const N: usize> Timeline<W, N> {
    /// A clock of any kind of word.
    #[must_use]
    pub fn of_words() -> Self {
        let word = || W::new(0);
        let (state, start, choice, jumps, lease) = (word(), word(), word(), word(), word());
        Self { state, start, choice, jumps, lease, ring: Ring::of_words() }
    }

    /// The time, ns; never less than any reading that happened before, on any thread.
    #[inline(always)]
    pub fn now(&self, hw: &impl Hardware) -> u64 {
        self.read(hw, true)
    }

    /// The time, ns; never less than an earlier reading of the same thread.
    #[inline(always)]
    pub fn now_relaxed(&self, hw: &impl Hardware) -> u64 {
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
    pub fn slow(&self, hw: &impl Hardware) -> Reading {
        loop {
            let state = self.state.load(Acquire);
            let reading = if state & POINTER != 0 { self.by_line(hw, state) } else { self.by_system(hw, state) };
            if let Some(reading) = reading {
                return reading;
            }
        }
    }

    /// `None`: the state has changed, look again.
    fn by_line(&self, hw: &impl Hardware, state: u64) -> Option<Reading> {
        let fit = Fit::of_words(&self.ring.read(&self.state, state)?);
        // Read after the state: a tick before the line's start is the counter's doing, not the scheduler's.
        let ticks = hw.ordered();
        if let Some(ns) = fit.line.at(ticks) {
            return Some(reading(ns, &fit, ticks));
        }
        if fit.just_before(ticks) {
            return Some(reading(fit.line.base, &fit, fit.line.start));
        }
        let anchor = Anchor::take(hw);
        let next = match anchor {
            Some((anchor, start)) => discipline::next(&fit, anchor, start, hw.period_ns()),
            None => discipline::coast(&fit, ticks, hw.period_ns()),
        };
        if let Next::Fit(fit) = next {
            match self.ring.publish(&self.state, state, &fit.words()) {
                Ok(_) => return Some(reading(fit.line.base, &fit, fit.line.start)),
                Err(Refused::Lost) => return None,
                // Go on by the system's clock, which needs no slot.
                Err(Refused::Full) => {}
            }
        } else if let Some((anchor, _)) = anchor {
            self.count_jump(anchor.ns);
        }
        let kernel = anchor.map(|(a, _)| a.ns);
        let ns = kernel.unwrap_or(0).max(fit.line.last());
        let done = self.ring.replace(&self.state, state, self.system_state(ns));
        done.then(|| Reading { ns, uncertainty_ns: kernel.map(|k| ns - k + 1) })
    }

    /// `None`: the state has changed, look again.
    fn by_system(&self, hw: &impl Hardware, state: u64) -> Option<Reading> {
        let floor = state >> NS_SHIFT;
        let Some(kernel) = hw.system_ns().map(|ns| ns.min(MAX_NS)) else {
            return self.without_system(state);
        };
        let ns = kernel.max(floor);
        let reading = Reading { ns, uncertainty_ns: Some(ns - kernel + 1) };
        if state & FOR_GOOD != 0 {
            self.lease_up_to(ns);
            return Some(reading);
        }
        match self.source(hw) {
            Source::System => {
                self.state.swap_if(state, state | FOR_GOOD);
                return None;
            }
            // Not while the clock waits for the system's.
            Source::Counter if ns - kernel < SHORTEST_NS => {
                if let Some(reading) = self.first_line(hw, kernel) {
                    return Some(reading);
                }
            }
            Source::Counter => {}
        }
        // What is handed out under this state has to be in it before, for the next state to begin above it.
        loop {
            let state = self.state.load(Acquire);
            if state & (POINTER | FOR_GOOD) != 0 {
                return None;
            }
            let ns = kernel.max(state >> NS_SHIFT);
            let new = ns << NS_SHIFT;
            if new == state || self.state.swap_if(state, new) {
                return Some(Reading { ns, uncertainty_ns: Some(ns - kernel + 1) });
            }
        }
    }

    /// The system's clock fails while it is what is used. `None`: the state has changed, look again.
    fn without_system(&self, state: u64) -> Option<Reading> {
        let floor = state >> NS_SHIFT;
        let mut ns = floor;
        if state & FOR_GOOD != 0 {
            ns = floor.max(self.lease.load(Acquire));
            // Later readings of the system's clock, should it work again, begin above what is handed out now.
            if ns != floor && !self.state.swap_if(state, ns << NS_SHIFT | FOR_GOOD) {
                return None;
            }
        }
        Some(Reading { ns, uncertainty_ns: None })
    }

    /// Before `ns` is handed out by the system's clock for good: what a failing one hands out is at least that.
    fn lease_up_to(&self, ns: u64) {
        loop {
            let lease = self.lease.load(Acquire);
            if ns <= lease || self.lease.swap_if(lease, (ns + LEASE_NS).min(MAX_NS)) {
                return;
            }
        }
    }

    /// Gathers comparisons until they make a line.
    fn first_line(&self, hw: &impl Hardware, kernel: u64) -> Option<Reading> {
        let pointer = self.start.load(Acquire);
        let known = if pointer == 0 { None } else { Some(self.ring.read(&self.start, pointer)?) };
        let anchor = |w: &[u64; 16], i: usize| Anchor { ticks: w[i], ns: w[i + 1], half: w[i + 2] };
        let latest = known.map(|w| anchor(&w, 0));
        let age = latest.map(|a| kernel.wrapping_sub(a.ns) as i64);
        if age.is_some_and(|age| (0..SHORTEST_NS as i64).contains(&age)) {
            return None;
        }
        let (now, _) = Anchor::take(hw)?;
        // Word 6: whether words 3 to 5 hold an earlier comparison.
        let mut words = [0; 16];
        [words[0], words[1], words[2]] = [now.ticks, now.ns, now.half];
        let (Some(known), Some(mid)) = (known, latest) else {
            let _ = self.ring.publish(&self.start, pointer, &words);
            return None;
        };
        if Interval::of(mid, now).is_none_or(|i| i.ns > STALE_NS) {
            let _ = self.ring.publish(&self.start, pointer, &words);
            return None;
        }
        if known[6] == 0 {
            [words[3], words[4], words[5], words[6]] = [mid.ticks, mid.ns, mid.half, 1];
            let _ = self.ring.publish(&self.start, pointer, &words);
            return None;
        }
        let old = anchor(&known, 3);
        // Other readers keep raising the floor while this one works; one of them soon gets through.
        for _ in 0..100 {
            let state = self.state.load(Acquire);
            if state & (POINTER | FOR_GOOD) != 0 {
                return None;
            }
            let Next::Fit(fit) = discipline::first(old, mid, now, hw.ordered(), state >> NS_SHIFT, hw.period_ns())
            else {
                let _ = self.ring.publish(&self.start, pointer, &words);
                return None;
            };
            match self.ring.publish(&self.state, state, &fit.words()) {
                Ok(_) => {
                    self.ring.replace(&self.start, pointer, 0);
                    return Some(reading(fit.line.base, &fit, fit.line.start));
                }
                Err(Refused::Lost) => {}
                Err(Refused::Full) => return None,
            }
        }
        None
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

    fn system_state(&self, ns: u64) -> u64 {
        let given_up = Choice::of_word(self.choice.load(Relaxed)).is_some_and(|c| c.source == Source::System);
        ns.min(MAX_NS) << NS_SHIFT | if given_up { FOR_GOOD } else { 0 }
    }

    /// A counter that keeps jumping (or that differs between CPUs, which looks the same) is given up. Racing
    /// threads may lose a count; it comes again.
    fn count_jump(&self, kernel_ns: u64) {
        let ms = kernel_ns / 1_000_000;
        let before = self.jumps.load(Relaxed);
        let in_a_row = if ms.wrapping_sub(before >> 8) < 1000 { (before & 0xff) + 1 } else { 1 };
        self.jumps.store(ms << 8 | in_a_row.min(0xff), Relaxed);
        if in_a_row >= STRIKES {
            self.choice.store(Choice { source: Source::System, why: Why::Unsteady }.word(), Release);
        }
    }

    /// What the readings stand on at the moment.
    pub fn basis(&self) -> Basis {
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

    /// Which source was chosen and why; `None` before the first reading.
    pub fn choice(&self) -> Option<Choice> {
        Choice::of_word(self.choice.load(Relaxed))
    }

    /// Makes the clock believe that the counter has jumped by `ticks`, for tests: the published line is moved
    /// the other way. False: there was no line, or the jump is shorter than a second.
    pub fn pretend_jump(&self, ticks: i64) -> bool {
        let state = self.state.load(Acquire);
        if state & POINTER == 0 {
            return false;
        }
        let Some(words) = self.ring.read(&self.state, state) else { return false };
        let mut fit = Fit::of_words(&words);
        // Far enough that no reading can come from the moved line.
        if (ticks.unsigned_abs() as f64) * fit.rate < 1e9 {
            return false;
        }
        let back = ticks.wrapping_neg() as u64;
        for at in [&mut fit.line.start, &mut fit.now.ticks, &mut fit.mid.ticks, &mut fit.old.ticks] {
            *at = at.wrapping_add(back);
        }
        self.ring.publish(&self.state, state, &fit.words()).is_ok()
    }
}

fn reading(ns: u64, fit: &Fit, ticks: u64) -> Reading {
    Reading { ns, uncertainty_ns: Some(fit.uncertainty_ns(ticks) as u64 + 1) }
}
