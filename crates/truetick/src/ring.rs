//! Publication: how a writer hands several words to readers who never wait.
//!
//! A ring of slots, each with a claim word. A writer claims a free slot, fills it and points a shared *cell*
//! at it by one compare-and-swap; then it frees the slot that the cell pointed at before. A reader loads the
//! cell, reads the slot, and loads the cell again: if it still holds the same pointer, what was read is whole.
//!
//! A pointer carries the slot's claim count, so no pointer ever comes twice (51 bits of it: at a claim a
//! microsecond, 71 years). Nobody waits: a writer that is put to sleep keeps its own slot and hinders no one,
//! a signal handler that interrupts it takes another slot, and what a thread that is gone in a forked child had
//! claimed stays claimed, which costs one slot of the ring.
//!
//! Why a reader never takes a torn slot for a whole one: a word from a later filling was stored after a release
//! fence, that after the claim, that after (by the claim word) the freeing, and that after the swap that took
//! the pointer out of the cell. The reader's acquire fence stands between the words and its second look at the
//! cell, so that look sees the swap or something later, and differs.

use core::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use crate::word::Word;

/// Set in every word that is a pointer to a slot; a cell's other values are its owner's, with this bit clear.
pub(crate) const POINTER: u64 = 1;
pub(crate) const INDEX_SHIFT: u32 = 7;
const COUNT_SHIFT: u32 = 13;

/// A slot: `K` words on cache lines of its own.
#[repr(C, align(128))]
struct Slot<W, const K: usize>([W; K]);

/// `N` slots of `K` words. `N` is a power of two, 2 to 64.
#[repr(C)]
pub(crate) struct Ring<W, const N: usize, const K: usize> {
    slots: [Slot<W, K>; N],
    claims: [W; N],
}

/// Why nothing was published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The cell no longer held what was expected.
    Lost,
    /// Every slot is claimed by someone.
    Full,
}

impl<const N: usize, const K: usize> Ring<AtomicU64, N, K> {
    /// A ring for a `static`.
    #[must_use]
    pub(crate) const fn new() -> Self {
        const { assert!(N.is_power_of_two() && N >= 2 && N <= 64) };
        Self { slots: [const { Slot([const { AtomicU64::new(0) }; K]) }; N], claims: [const { AtomicU64::new(0) }; N] }
    }
}

impl<const N: usize, const K: usize> Default for Ring<AtomicU64, N, K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<W: Word, const N: usize, const K: usize> Ring<W, N, K> {
    /// A ring of any kind of word.
    #[must_use]
    #[cfg(test)]
    pub(crate) fn of_words() -> Self {
        const { assert!(N.is_power_of_two() && N >= 2 && N <= 64) };
        Self {
            slots: core::array::from_fn(|_| Slot(core::array::from_fn(|_| W::new(0)))),
            claims: core::array::from_fn(|_| W::new(0)),
        }
    }

    /// The words that `pointer` points at. What is loaded from them counts only if the cell is found to hold
    /// `pointer` again after an acquire fence.
    #[inline(always)]
    pub(crate) fn words(&self, pointer: u64) -> &[W; K] {
        &self.slots[(pointer >> INDEX_SHIFT) as usize & (N - 1)].0
    }

    /// The words that `cell` points at by `pointer`; `None`: it points elsewhere by now.
    pub(crate) fn read(&self, cell: &W, pointer: u64) -> Option<[u64; K]> {
        let words = self.words(pointer);
        let copy = core::array::from_fn(|i| words[i].load(Relaxed));
        W::fence(Acquire);
        (cell.load(Relaxed) == pointer).then_some(copy)
    }

    /// Puts `words` in a slot and points `cell` at it, if it still holds `old`. Returns the new pointer.
    /// Lock-free; about 30 ns uncontended.
    pub(crate) fn publish(&self, cell: &W, old: u64, words: &[u64; K]) -> Result<u64, Refused> {
        let pointer = self.claim(old).ok_or(Refused::Full)?;
        // With the acquire fence in `read`: whoever sees a word below sees that the slot had left its cell.
        W::fence(Release);
        for (slot, &word) in self.words(pointer).iter().zip(words) {
            slot.store(word, Relaxed);
        }
        if self.replace(cell, old, pointer) {
            Ok(pointer)
        } else {
            self.free(pointer);
            Err(Refused::Lost)
        }
    }

    /// Puts `new` into `cell` where `old` stood, and frees the slot that `old` pointed at. Says whether it did.
    pub(crate) fn replace(&self, cell: &W, old: u64, new: u64) -> bool {
        let done = cell.swap_if(old, new);
        if done && old & POINTER != 0 {
            self.free(old);
        }
        done
    }

    /// An even claim word is a free slot's, an odd one a claimed or published one's.
    fn claim(&self, near: u64) -> Option<u64> {
        let first = (near >> INDEX_SHIFT) as usize;
        (1..=N).find_map(|step| {
            let index = (first + step) & (N - 1);
            let count = self.claims[index].load(Relaxed);
            (count & 1 == 0 && self.claims[index].swap_if(count, count + 1))
                .then(|| (count + 1) << COUNT_SHIFT | (index as u64) << INDEX_SHIFT | POINTER)
        })
    }

    fn free(&self, pointer: u64) {
        let index = (pointer >> INDEX_SHIFT) as usize & (N - 1);
        self.claims[index].store((pointer >> COUNT_SHIFT) + 1, Release);
    }

    /// How many slots are claimed or published.
    #[cfg(test)]
    pub(crate) fn taken(&self) -> usize {
        self.claims.iter().filter(|c| c.load(Relaxed) & 1 == 1).count()
    }
}
