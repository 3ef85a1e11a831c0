//! How often each length was seen: exact where lengths are short, in narrow classes where they are long.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Lengths below this have a place each.
pub const EXACT: u64 = 1 << EXACT_BITS;
/// Places that there are.
pub const PLACES: usize = EXACT as usize + ((64 - EXACT_BITS as usize) << PART_BITS);

const EXACT_BITS: u32 = 12;
/// Each doubling of the length beyond is so finely divided, as a power of two: 128 parts, of 0.8 % at most.
const PART_BITS: u32 = 7;

/// The place of a length.
#[inline]
pub fn place(length: u64) -> usize {
    if length < EXACT {
        return length as usize;
    }
    let exponent = length.ilog2();
    let part = (length >> (exponent - PART_BITS)) as usize & ((1 << PART_BITS) - 1);
    EXACT as usize + ((exponent - EXACT_BITS) << PART_BITS) as usize + part
}

/// The least and the greatest length of a place; of one that there is not, the last one's.
pub fn lengths_of(place: usize) -> (u64, u64) {
    if (place as u64) < EXACT {
        return (place as u64, place as u64);
    }
    let at = place.min(PLACES - 1) - EXACT as usize;
    let (exponent, part) = (EXACT_BITS + (at >> PART_BITS) as u32, (at & ((1 << PART_BITS) - 1)) as u64);
    let width = 1 << (exponent - PART_BITS);
    let least = (1 << exponent) + part * width;
    (least, least + (width - 1))
}

/// What the long lengths come to, each exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Long {
    /// Their sum.
    pub sum: u64,
    /// The sum of their squares, its upper and its lower 64 bits.
    pub squares: [u64; 2],
    /// The least of them.
    pub least: u64,
    /// The greatest of them.
    pub greatest: u64,
}

impl Default for Long {
    fn default() -> Self {
        Self { sum: 0, squares: [0; 2], least: u64::MAX, greatest: 0 }
    }
}

impl Long {
    /// One more.
    #[inline]
    pub fn add(&mut self, length: u64) {
        self.sum = self.sum.saturating_add(length);
        self.set_squares(self.squares().saturating_add(u128::from(length) * u128::from(length)));
        self.least = self.least.min(length);
        self.greatest = self.greatest.max(length);
    }

    /// The sum of their squares.
    pub fn squares(&self) -> u128 {
        u128::from(self.squares[0]) << 64 | u128::from(self.squares[1])
    }

    fn set_squares(&mut self, squares: u128) {
        self.squares = [(squares >> 64) as u64, squares as u64];
    }
}

/// How often each length was seen, in a clock's counts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tally {
    /// How often, by the [`place`] of the length.
    pub seen: BTreeMap<u32, u64>,
    /// What those of [`EXACT`] and more come to; of the shorter ones `seen` tells it.
    pub long: Long,
}

impl Tally {
    /// One more.
    pub fn add(&mut self, length: u64) {
        *self.seen.entry(place(length) as u32).or_default() += 1;
        if length >= EXACT {
            self.long.add(length);
        }
    }

    /// All that another one saw.
    pub fn add_all(&mut self, other: &Self) {
        for (place, count) in &other.seen {
            let sum = self.seen.entry(*place).or_default();
            *sum = sum.saturating_add(*count);
        }
        self.long.sum = self.long.sum.saturating_add(other.long.sum);
        self.long.set_squares(self.long.squares().saturating_add(other.long.squares()));
        self.long.least = self.long.least.min(other.long.least);
        self.long.greatest = self.long.greatest.max(other.long.greatest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_place_begins_where_the_one_before_ends() {
        for at in 1..PLACES {
            let ((_, before), (least, greatest)) = (lengths_of(at - 1), lengths_of(at));
            assert_eq!((before + 1, place(least), place(greatest)), (least, at, at));
            assert!(greatest - least <= least / 128, "{at}");
        }
        assert_eq!((place(u64::MAX), lengths_of(PLACES - 1).1), (PLACES - 1, u64::MAX));
        assert_eq!(lengths_of(usize::MAX), lengths_of(PLACES - 1));
    }

    proptest! {
        #[test]
        fn what_two_saw_is_what_one_would_have_seen(lengths: Vec<u64>, at: prop::sample::Index) {
            let tally = |lengths: &[u64]| lengths.iter().fold(Tally::default(), |mut tally, length| {
                tally.add(*length);
                tally
            });
            let (first, second) = lengths.split_at(at.index(lengths.len() + 1));
            let mut both = tally(first);
            both.add_all(&tally(second));
            prop_assert_eq!(&both, &tally(&lengths));
            let text = serde_json::to_string(&both).unwrap();
            prop_assert_eq!(serde_json::from_str::<Tally>(&text).unwrap(), both);
        }
    }
}
