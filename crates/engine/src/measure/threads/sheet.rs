//! What a thread writes down while it reads: room made before, so that nothing is allocated meanwhile.

use std::hint::black_box;

use clockscope_analysis::trace::tally::{EXACT, Long, PLACES, place};
use clockscope_analysis::trace::{Counted, LongPairs, Paired, Tally};

/// Kinds of long pairs that are kept apart, by what happened in them.
const KINDS: usize = 512;
/// Longest pairs that are kept by themselves.
const LONGEST: usize = 8;

/// A thread's notes.
pub(super) struct Sheet {
    lengths: Vec<u64>,
    beyond: Long,
    kinds: Vec<(u64, LongPairs)>,
    longest: Vec<LongPairs>,
    /// What is counted one by one.
    pub(super) rest: Paired,
}

impl Sheet {
    /// Its room, which is there and not only promised.
    pub(super) fn new() -> Self {
        let mut lengths = vec![0; PLACES];
        black_box(&mut lengths[..]).fill(0);
        let mut kinds = vec![(0, LongPairs::default()); KINDS];
        black_box(&mut kinds[..]).fill((1, LongPairs::default()));
        kinds.clear();
        let longest = Vec::with_capacity(LONGEST);
        Self { lengths, beyond: Long::default(), kinds, longest, rest: Paired::default() }
    }

    /// A pair's length, counts.
    #[inline(always)]
    pub(super) fn add(&mut self, length: u64) {
        // The places reach as far as there are lengths.
        self.lengths[place(length)] += 1;
        if length >= EXACT {
            self.beyond.add(length);
        }
    }

    /// A long pair, and what the kernel counted meanwhile.
    pub(super) fn long(&mut self, counts: u64, migrated: bool, grown: Counted) {
        let one = LongPairs { pairs: 1, counts, migrated, grown };
        let key = one.kind();
        if let Some((_, kind)) = self.kinds.iter_mut().find(|(known, _)| *known == key) {
            *kind = both(kind, &one);
        } else if self.kinds.len() < KINDS {
            self.kinds.push((key, one));
        } else if let Some((_, last)) = self.kinds.last_mut() {
            // So many kinds have not been seen; what comes then is of a kind of which nothing is known.
            *last = LongPairs { grown: Counted::default(), migrated: false, ..both(last, &one) };
        }
        if self.longest.len() < LONGEST {
            self.longest.push(one);
        } else if let Some(least) = self.longest.iter_mut().min_by_key(|pair| pair.counts)
            && least.counts < counts
        {
            *least = one;
        }
    }

    /// All of it, as it is passed on.
    pub(super) fn finish(self) -> Paired {
        let seen = self.lengths.iter().enumerate().filter(|(_, count)| **count > 0);
        let seen = seen.map(|(place, count)| (place as u32, *count)).collect();
        Paired {
            lengths: Tally { seen, long: self.beyond },
            long: self.kinds.into_iter().map(|(_, kind)| kind).collect(),
            longest: self.longest,
            ..self.rest
        }
    }
}

fn both(one: &LongPairs, other: &LongPairs) -> LongPairs {
    LongPairs {
        pairs: one.pairs + other.pairs,
        counts: one.counts.saturating_add(other.counts),
        migrated: one.migrated,
        grown: one.grown.and(&other.grown),
    }
}
