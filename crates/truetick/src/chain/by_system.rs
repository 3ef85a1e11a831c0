//! Readings by the system's clock: until there is a line, or for good.

use core::sync::atomic::Ordering::{Acquire, Relaxed};

use super::{Chain, FOR_GOOD, MAX_NS, NS_SHIFT, Reading, by_clock};
use crate::{
    discipline::{SHORTEST_NS, Seen},
    hardware::Hardware,
    ring::POINTER,
    source::Source,
    word::Word,
};

/// While the system's clock is used for good: how far ahead of its readings [`Chain::lease`] is put, ns. One store
/// to shared memory in that time, instead of one a reading.
pub(super) const LEASE_NS: u64 = 100_000;
/// The system's clock shows less than was handed out, by more than this: it has been set back. By less: it is waited
/// for, as where it failed and the lease was handed out. ns.
const BACK_NS: u64 = LEASE_NS;

impl<W: Word, const N: usize> Chain<W, N> {
    /// `None`: the state has changed, look again.
    pub(super) fn by_system(&self, hw: &impl Hardware, state: u64) -> Option<Reading> {
        let for_good = state & FOR_GOOD != 0;
        // What was handed out before the system's clock is read.
        let mut least = state >> NS_SHIFT;
        if for_good {
            least = least.max(self.lease.load(Acquire).saturating_sub(LEASE_NS));
        }
        let shift = self.shift.load(Acquire);
        let Some(kernel) = hw.system_ns() else { return self.without_system(state) };
        W::fence(Acquire);
        if self.shift.load(Relaxed) != shift {
            return None;
        }
        let kernel = kernel.wrapping_add(shift).min(MAX_NS);
        let slowed = self.slowed(kernel);
        if slowed.saturating_add(BACK_NS) < least {
            // No reading for good exceeds the lease, and each of the others is in the state.
            let least = if for_good { self.lease.load(Acquire).max(least) } else { least };
            self.meet.store(0, Relaxed);
            self.note(Seen::SetBack);
            return self.add_to_system(shift, kernel, least).then(|| self.hand_out(state, least, None))?;
        }
        if !for_good {
            match self.source(hw) {
                Source::System => {
                    self.state.swap_if(state, state | FOR_GOOD);
                    return None;
                }
                // Not while the clock waits for the system's.
                Source::Counter if slowed.max(least) - kernel < SHORTEST_NS => {
                    if let Some(reading) = self.first_line(hw, kernel) {
                        return Some(reading);
                    }
                }
                Source::Counter => {}
            }
        }
        self.hand_out(state, slowed, Some(kernel))
    }

    /// Hands out `ns`, or what was handed out already. `None`: the state has changed, look again.
    fn hand_out(&self, state: u64, ns: u64, kernel: Option<u64>) -> Option<Reading> {
        if state & FOR_GOOD != 0 {
            let ns = ns.max(state >> NS_SHIFT);
            self.lease_up_to(ns);
            return Some(by_clock(ns, kernel));
        }
        // What is handed out under this state has to be in it before, for the next state to begin above it.
        loop {
            let state = self.state.load(Acquire);
            if state & (POINTER | FOR_GOOD) != 0 {
                return None;
            }
            let ns = ns.max(state >> NS_SHIFT);
            let new = ns << NS_SHIFT;
            if new == state || self.state.swap_if(state, new) {
                return Some(by_clock(ns, kernel));
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
        Some(by_clock(ns, None))
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

    /// Where the system's clock showed `kernel`, with `shift` added, it shall show `ns`. False: another reading has found
    /// so too; look again.
    pub(super) fn add_to_system(&self, shift: u64, kernel: u64, ns: u64) -> bool {
        self.shift.swap_if(shift, shift.wrapping_add(ns.saturating_sub(kernel)))
    }

    /// The time is `ns` while the system's clock shows `kernel`: where it is ahead, it runs at half the rate from here on
    /// until they meet. Of several who say so at once the latest meeting counts, that no reading falls.
    pub(super) fn meet_from(&self, ns: u64, kernel: u64) {
        let meet = ns.saturating_add(ns.saturating_sub(kernel));
        loop {
            let before = self.meet.load(Acquire);
            if ns <= kernel || meet <= before || self.meet.swap_if(before, meet) {
                return;
            }
        }
    }

    fn slowed(&self, kernel: u64) -> u64 {
        let left = self.meet.load(Acquire).saturating_sub(kernel);
        (kernel + left / 2).min(MAX_NS)
    }
}
