//! What the clock stands on: a counter, and the operating system's clock.

use crate::{
    discipline::SLEW,
    line::PERIOD_NS,
    source::Choice,
    wall::{Accuracy, Unbounded},
};

/// A counter and an operating system's clock, as [`Timeline`](crate::timeline::Timeline) reads them.
///
/// What it promises in return for the timeline's promises: the counter never goes back between two
/// [`ordered`](Self::ordered) reads of which one happens before the other, on whatever CPUs, unless it jumps
/// for all; and neither does the system's clock, unless it is set back for all.
pub trait Hardware {
    /// The counter, as cheaply as it can be read; never goes back within a thread.
    fn relaxed(&self) -> u64;
    /// The counter, not before what was acquired earlier in the program was, and before a later release can be seen.
    fn ordered(&self) -> u64;
    /// The system's clock, ns; `None` where it fails.
    fn system_ns(&self) -> Option<u64>;
    /// Whether the counter may be used. Asked once, at the first read.
    fn choose(&self) -> Choice;
    /// The longest that a fitted line is used, ns.
    fn period_ns(&self) -> u64 {
        PERIOD_NS
    }
    /// How far the system's clock goes in one step, ns: it shows a time up to this much past.
    fn step_ns(&self) -> u64 {
        1
    }
    /// By how much the system's clock may come to run faster or slower than it did, as a fraction, without a jump.
    /// `None`: nobody says, so no uncertainty is known.
    fn slew(&self) -> Option<f64> {
        Some(SLEW)
    }
    /// Whether the system still makes its own clock of the counter; `None`: that can't be told, and is not asked again. Asked from within a
    /// comparison of the two clocks, about once a second: it must not wait, allocate, or make a system call that
    /// reading the system's clock does not make.
    fn still_used(&self) -> Option<bool> {
        None
    }
    /// By how many ticks two CPUs' counters may differ although nothing is wrong.
    fn skew_ticks(&self) -> u64 {
        0
    }
    /// The system's wall clock: UNIX time, ns. `None`: it has none, or that fails.
    fn wall_ns(&self) -> Option<i64> {
        None
    }
    /// How far the wall clock goes in one step, ns.
    fn wall_step_ns(&self) -> u64 {
        1
    }
    /// How far the wall clock is from UTC. Asked for by readings that are to have bounds, once a line, not by others: it
    /// may make a system call. `wall_ns` must differ from `system_ns` by a constant between two times that it is set, or there is no
    /// bound.
    fn accuracy(&self) -> Accuracy {
        Accuracy::unbounded(Unbounded::NobodySays)
    }
    /// A number that changes whenever the counter was disrupted (a live migration, a snapshot). Asked at each comparison
    /// of the clocks: a load from memory.
    fn marker(&self) -> u64 {
        0
    }
}

/// What a line is laid by, of one kind of hardware.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rules {
    /// The longest that a line is used, ns.
    pub(crate) period_ns: u64,
    /// [`Hardware::step_ns`].
    pub(crate) step_ns: u64,
    /// [`Hardware::slew`].
    pub(crate) slew: Option<f64>,
}

impl Rules {
    /// Those of `hw`.
    pub(crate) fn of(hw: &impl Hardware) -> Self {
        Self { period_ns: hw.period_ns(), step_ns: hw.step_ns().max(1), slew: hw.slew() }
    }
}

/// One comparison of the two clocks: at the tick `ticks`, give or take `half`, the system's clock showed `ns`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Anchor {
    /// The middle of the bracket.
    pub(crate) ticks: u64,
    /// What the system's clock showed; it cuts off what is less than its step.
    pub(crate) ns: u64,
    /// Half the bracket's width, ticks.
    pub(crate) half: u64,
}

/// Brackets tried for one [`Anchor`], at most. The narrowest counts: an interruption makes one wide, and seldom five.
const BRACKETS: u32 = 5;
/// Where the system's clock fails: how often it is asked all the same.
const TRIES: u32 = 20;

impl Anchor {
    /// Reads the system's clock between two ordered reads of the counter, until a bracket is no wider than
    /// `enough` to either side (ticks), five times at most, and keeps the narrowest. Also returns the last counter
    /// value read. `None`: the system's clock failed each time. Costs about 45 ns a bracket where the system's
    /// clock needs no system call, and one or two brackets where `enough` is what the last comparison had.
    pub(crate) fn take(hw: &impl Hardware, enough: u64) -> Option<(Self, u64)> {
        let mut best: Option<Self> = None;
        let mut before = hw.ordered();
        let mut left = BRACKETS;
        for _ in 0..TRIES {
            let ns = hw.system_ns();
            let after = hw.ordered();
            let width = after.wrapping_sub(before);
            // A negative width is a counter that jumped back between the two reads.
            if let Some(ns) = ns.filter(|_| width < 1 << 63) {
                // The counter has shown `after` for up to a tick by then.
                let half = width / 2 + 1;
                if best.is_none_or(|b| half < b.half) {
                    best = Some(Self { ticks: before.wrapping_add(width / 2), ns, half });
                }
            }
            before = after;
            left -= u32::from(ns.is_some());
            if left == 0 || best.is_some_and(|b| b.half <= enough) {
                break;
            }
        }
        best.map(|anchor| (anchor, before))
    }
}
