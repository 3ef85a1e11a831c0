//! A stamp without a clock: where the published state begins.

use core::sync::atomic::Ordering::{Acquire, Relaxed};

use super::{Chain, FOR_GOOD, NS_SHIFT, by_system::LEASE_NS};
use crate::{hardware::Hardware, ring::POINTER, word::Word};

impl<W: Word, const N: usize> Chain<W, N> {
    /// The value at which the line in use begins, or of the last reading (or one 0.1 ms before) by the system's clock: never
    /// more than any reading that happens after. Reads a clock only where none was ever read.
    #[inline]
    pub(crate) fn recent(&self, hw: &impl Hardware) -> u64 {
        loop {
            let state = self.state.load(Acquire);
            if state & POINTER != 0 {
                let base = self.ring.words(state)[2].load(Relaxed);
                W::fence(Acquire);
                if self.state.load(Relaxed) == state {
                    return base;
                }
            } else if state & FOR_GOOD != 0 {
                return (state >> NS_SHIFT).max(self.lease.load(Acquire).saturating_sub(LEASE_NS));
            } else if state != 0 {
                return state >> NS_SHIFT;
            } else {
                return self.slow(hw).ns;
            }
        }
    }
}
