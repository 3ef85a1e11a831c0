//! Quartiles in bounded memory: exact up to a million values, and up to a quarter of a million distinct ones; beyond that within
//! classes as narrow as they may be, which a second look at the same values narrows to the exact ones.

use std::collections::{BTreeMap, HashMap};

/// Most values that are kept as they are, 8 MiB.
const KEPT: usize = 1 << 20;
/// Most classes, some 9 MB.
const CLASSES: usize = 1 << 18;

/// Between what a value of a rank lies, and how many values lie below that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) low: i64,
    pub(super) high: i64,
    below: u64,
}

/// Values as they come.
#[derive(Debug, Clone, Default)]
struct Lot {
    kept: Vec<i64>,
    is_sorted: bool,
    classes: Option<Classes>,
}

/// How many values there are in each class, all as wide: 2^shift.
#[derive(Debug, Clone, Default)]
struct Classes {
    shift: u32,
    counts: HashMap<i64, u64>,
    /// The class of the latest values, and how many of them are not yet counted.
    latest: (i64, u64),
}

impl Classes {
    fn take(&mut self, value: i64) {
        let class = value >> self.shift;
        if class == self.latest.0 {
            self.latest.1 += 1;
        } else {
            self.settle();
            self.latest = (value >> self.shift, 1);
        }
    }

    /// Counts the latest ones. Where there are too many classes, two at a time become one.
    fn settle(&mut self) {
        let (class, values) = std::mem::take(&mut self.latest);
        if values > 0 {
            *self.counts.entry(class).or_default() += values;
        }
        while self.counts.len() > CLASSES {
            self.shift += 1;
            for (class, values) in std::mem::take(&mut self.counts) {
                *self.counts.entry(class >> 1).or_default() += values;
            }
        }
    }

    fn places(&mut self, ranks: &[u64]) -> Vec<Option<Place>> {
        self.settle();
        let mut sorted: Vec<(i64, u64)> = self.counts.iter().map(|(class, values)| (*class, *values)).collect();
        sorted.sort_unstable();
        let mut below = 0;
        let ends: Vec<u64> = sorted.iter().map(|(_, values)| (below, below += values).0 + values).collect();
        let place = |rank: &u64| {
            let at = ends.partition_point(|end| end <= rank);
            let (class, values) = *sorted.get(at)?;
            let low = class << self.shift;
            Some(Place { low, high: low + ((1 << self.shift) - 1), below: ends[at] - values })
        };
        ranks.iter().map(place).collect()
    }
}

impl Lot {
    fn take(&mut self, value: i64) {
        if let Some(classes) = &mut self.classes {
            classes.take(value);
        } else if self.kept.len() < KEPT {
            self.kept.push(value);
            self.is_sorted = false;
        } else {
            let mut classes = Classes::default();
            std::mem::take(&mut self.kept).into_iter().chain([value]).for_each(|value| classes.take(value));
            self.classes = Some(classes);
        }
    }

    fn places(&mut self, ranks: &[u64]) -> Vec<Option<Place>> {
        if let Some(classes) = &mut self.classes {
            return classes.places(ranks);
        }
        if !std::mem::replace(&mut self.is_sorted, true) {
            self.kept.sort_unstable();
        }
        let place = |rank: &u64| {
            let value = *self.kept.get(usize::try_from(*rank).ok()?)?;
            Some(Place { low: value, high: value, below: *rank })
        };
        ranks.iter().map(place).collect()
    }
}

/// Values between which a rank lies, looked at anew.
#[derive(Debug, Clone)]
struct Window {
    place: Place,
    lot: Lot,
}

/// Values of which some ranks are asked for.
#[derive(Debug, Clone, Default)]
pub(super) struct Order {
    all: Lot,
    /// What is known of the ranks so far.
    known: BTreeMap<u64, Place>,
    windows: Vec<Window>,
}

impl Order {
    pub(super) fn take(&mut self, value: i64) {
        self.all.take(value);
    }

    /// The same value once more, in a further look at all of them.
    pub(super) fn look(&mut self, value: i64) {
        for window in &mut self.windows {
            if (window.place.low..=window.place.high).contains(&value) {
                window.lot.take(value);
            }
        }
    }

    /// Between what the values of these ranks lie, from 0; `None` of a rank that there is not.
    pub(super) fn places(&mut self, ranks: &[u64]) -> Vec<Option<Place>> {
        for window in std::mem::take(&mut self.windows) {
            let Window { place, mut lot } = window;
            let within: Vec<u64> =
                self.known.iter().filter(|(_, known)| **known == place).map(|(rank, _)| *rank).collect();
            let own: Vec<u64> = within.iter().map(|rank| rank - place.below).collect();
            for (rank, found) in within.into_iter().zip(lot.places(&own)) {
                if let Some(Place { low, high, below }) = found {
                    let [low, high] = [low, high].map(|end| end.clamp(place.low, place.high));
                    self.known.insert(rank, Place { low, high, below: place.below + below });
                }
            }
        }
        if self.known.is_empty() {
            let places = self.all.places(ranks);
            self.known = ranks.iter().zip(&places).filter_map(|(rank, place)| Some((*rank, (*place)?))).collect();
        }
        ranks.iter().map(|rank| self.known.get(rank).copied()).collect()
    }

    /// Prepares for a further look, where one would narrow what is known of these ranks.
    pub(super) fn again(&mut self, ranks: &[u64]) -> bool {
        let mut wide: Vec<Place> = self.places(ranks).into_iter().flatten().filter(|at| at.low < at.high).collect();
        wide.dedup();
        self.windows = wide.into_iter().map(|place| Window { place, lot: Lot::default() }).collect();
        !self.windows.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A million and a half values, all distinct, spread over 60 bits, and half of them in one of the widest classes.
    #[test]
    fn further_looks_find_the_very_value() {
        let value = |i: i64| if i % 2 == 0 { i * 700_000_000_001 - (1 << 58) } else { 1_000_003 + i * 5 };
        let count = 1_500_000;
        let mut all: Vec<i64> = (0..count).map(|i| value((i * 1_000_003) % count)).collect();
        let mut order = Order::default();
        for value in &all {
            order.take(*value);
        }
        let ranks = [0, 375_000, 700_000, 750_000, 750_001, 1_499_999];
        let mut sorted = all.clone();
        sorted.sort_unstable();
        let truth = |rank: u64| sorted[rank as usize];
        for (rank, place) in ranks.iter().zip(order.places(&ranks)) {
            let Place { low, high, .. } = place.unwrap();
            assert!(low <= truth(*rank) && truth(*rank) <= high && low < high, "{rank} {low} {high}");
        }
        let mut looks = 0;
        while order.again(&ranks) {
            // In another order: it does not matter.
            all.reverse();
            for value in &all {
                order.look(*value);
            }
            looks += 1;
        }
        assert!(looks <= 3, "{looks}");
        for (rank, place) in ranks.iter().zip(order.places(&ranks)) {
            let Place { low, high, .. } = place.unwrap();
            assert_eq!((low, high), (truth(*rank), truth(*rank)), "{rank}");
        }
    }

    #[test]
    fn few_values_are_exact_at_once_and_what_is_not_there_is_not() {
        let mut order = Order::default();
        for value in [3, 1, 2] {
            order.take(value);
        }
        let places: Vec<_> = order.places(&[0, 2, 3]).into_iter().map(|at| at.map(|at| (at.low, at.high))).collect();
        assert_eq!(places, [Some((1, 1)), Some((3, 3)), None]);
        assert!(!order.again(&[0, 2]));
        // A look that finds nothing, as of a file that was changed meanwhile, takes nothing away.
        let mut order = Order::default();
        (0..2 * KEPT as i64).for_each(|value| order.take(value * 3));
        let before = order.places(&[KEPT as u64]);
        assert!(order.again(&[KEPT as u64]));
        assert_eq!(order.places(&[KEPT as u64]), before);
    }
}
