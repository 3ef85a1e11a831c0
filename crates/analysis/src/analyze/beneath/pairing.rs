//! Pairs readings with values that a call told.

use super::scale::Scale;

/// The values that a call told and that are no label's reading yet, ns, in order of size.
#[derive(Debug)]
pub(super) struct Values {
    sorted_ns: Vec<i128>,
}

/// Readings paired with values: each value is `offset` more than its reading, or nearly.
#[derive(Debug)]
pub(super) struct Pairs {
    pub(super) count: usize,
    pub(super) offset: i128,
    /// Which of the values.
    taken: Vec<usize>,
}

impl Values {
    pub(super) fn new(told_ns: &[i64]) -> Self {
        let mut sorted_ns: Vec<i128> = told_ns.iter().map(|ns| i128::from(*ns)).collect();
        sorted_ns.sort_unstable();
        Self { sorted_ns }
    }

    pub(super) fn first(&self) -> Option<i128> {
        self.sorted_ns.first().copied()
    }

    /// How many are left.
    pub(super) fn count(&self) -> usize {
        self.sorted_ns.len()
    }

    /// Pairs each reading with a value of its own that is `offset` more, or differs from that by up to `within`. In order of
    /// size, each with the least that will do: there is no way to pair more. `None` if that are fewer than `enough`.
    pub(super) fn pairs(&self, scale: &Scale, offset: i128, within: i128, enough: usize) -> Option<Pairs> {
        let readings = &scale.sorted_ns;
        let mut misses = readings.len().checked_sub(enough)?;
        let mut taken = Vec::new();
        let lowest = readings.first()? + offset - within;
        let mut at = self.sorted_ns.partition_point(|value| *value < lowest);
        for reading in readings {
            let wanted = reading + offset;
            while self.sorted_ns.get(at).is_some_and(|value| *value < wanted - within) {
                at += 1;
            }
            if self.sorted_ns.get(at).is_some_and(|value| *value <= wanted + within) {
                taken.push(at);
                at += 1;
            } else {
                misses = misses.checked_sub(1)?;
            }
        }
        Some(Pairs { count: taken.len(), offset, taken })
    }

    /// The best pairs by whichever offset: that of one of a few readings from one of the values.
    pub(super) fn shifted(&self, scale: &Scale, within: i128, enough: usize) -> Option<Pairs> {
        let readings = &scale.sorted_ns;
        // One of them may be no value that the call told; hardly all.
        let count = readings.len();
        let anchors = [0, count / 3, count / 2, count * 3 / 4].map(|at| readings.get(at));
        // Where the first one serves the others find no more.
        for anchor in anchors.into_iter().flatten() {
            let mut best: Option<Pairs> = None;
            let mut last = None;
            for value in &self.sorted_ns {
                let offset = value - anchor;
                // Equal values come to the same.
                if last.replace(offset) == Some(offset) {
                    continue;
                }
                let least = best.as_ref().map_or(enough, |best| best.count + 1);
                if let Some(pairs) = self.pairs(scale, offset, within, least) {
                    best = Some(pairs);
                }
            }
            if best.is_some() {
                return best;
            }
        }
        None
    }

    /// Whether as many pairs are left when all must lie within one tick, not a tick to either side.
    pub(super) fn is_close(&self, scale: &Scale, offset: i128, within: i128, enough: usize) -> bool {
        const STEPS: i128 = 8;
        let half = within / 2;
        (-STEPS..=STEPS).any(|step| self.pairs(scale, offset + step * within / STEPS, half, enough).is_some())
    }

    /// The values that are paired are no longer there.
    pub(super) fn take(&mut self, pairs: &Pairs) {
        let mut taken = pairs.taken.iter().peekable();
        let mut at = 0;
        self.sorted_ns.retain(|_| {
            let goes = taken.next_if(|next| **next == at).is_some();
            at += 1;
            !goes
        });
    }
}
