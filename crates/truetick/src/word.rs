//! The one kind of shared memory that the protocol uses: a 64-bit word.
//!
//! A trait, so that the very same code runs on the machine's atomics, on loom's (which try every order that
//! the memory model allows) and on a model's (which may put a thread to sleep before any access).

use core::sync::atomic::{AtomicU64, Ordering, fence};

/// A shared 64-bit word. Orders mean what they mean in [`core::sync::atomic`].
pub(crate) trait Word {
    /// A word that holds `value`.
    #[cfg(test)]
    fn new(value: u64) -> Self;
    /// Reads it.
    fn load(&self, order: Ordering) -> u64;
    /// Writes it.
    fn store(&self, value: u64, order: Ordering);
    /// Writes `new` where `old` stood, with acquire and release order. Says whether it did; never fails without
    /// a cause.
    fn swap_if(&self, old: u64, new: u64) -> bool;
    /// A fence among the accesses to all words.
    fn fence(order: Ordering);
}

impl Word for AtomicU64 {
    #[cfg(test)]
    fn new(value: u64) -> Self {
        AtomicU64::new(value)
    }
    #[inline(always)]
    fn load(&self, order: Ordering) -> u64 {
        AtomicU64::load(self, order)
    }
    #[inline(always)]
    fn store(&self, value: u64, order: Ordering) {
        AtomicU64::store(self, value, order);
    }
    #[inline(always)]
    fn swap_if(&self, old: u64, new: u64) -> bool {
        self.compare_exchange(old, new, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
    #[inline(always)]
    fn fence(order: Ordering) {
        fence(order);
    }
}
