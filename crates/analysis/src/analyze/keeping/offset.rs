//! The offset between two clocks that are slewed alike: it stays, or one of them was moved.

use crate::record::Interval;
use crate::trace::Bracketed;

/// Changes that are kept one by one.
const KEPT: usize = 256;
/// How far two clocks cut to whole nanoseconds may differ without either having moved, ns.
const CUT_NS: i64 = 4;

/// A point of a run in two times, ns since its start: the witness may have stopped in a sleep, or counted through it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moment {
    /// By the witness of the system's clocks.
    pub witness_ns: f64,
    /// By the kernel's clock.
    pub kernel_ns: f64,
}

/// A change of the offset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// By how much, ns; the interval is a hard bound.
    pub size: Interval,
    /// When the old offset was last seen.
    pub from: Moment,
    /// When the new one was first seen.
    pub to: Moment,
}

/// One clock's offset from another, both in ns, from readings of the one bracketed by the other. Both follow the same
/// discipline (Linux derives CLOCK_REALTIME, CLOCK_MONOTONIC and CLOCK_BOOTTIME from one count, by offsets that only
/// setting and sleep change: kernel/time/timekeeping.c), so slewing moves neither against the other, and whatever the
/// brackets can't explain is a change.
#[derive(Debug, Clone, Default)]
pub struct Offset {
    first: Option<Bracketed>,
    last: Option<(Bracketed, Moment)>,
    changes: Vec<Change>,
    omitted: u64,
}

impl Offset {
    /// One more reading, taken at `at`. A bracket that runs backward is passed over.
    pub fn add(&mut self, anchor: Bracketed, at: Moment) {
        if (anchor.after.wrapping_sub(anchor.before) as i64) < 0 {
            return;
        }
        self.first.get_or_insert(anchor);
        let Some((before, from)) = self.last.replace((anchor, at)) else { return };
        let (low, high) = growth(before, anchor);
        if low <= CUT_NS && high >= -CUT_NS {
            return;
        }
        if self.changes.len() < KEPT {
            self.changes.push(Change { size: interval(low, high), from, to: at });
        } else {
            self.omitted += 1;
        }
    }

    /// The changes, oldest first.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Changes that are not among them.
    pub fn omitted(&self) -> u64 {
        self.omitted
    }

    /// By how much the offset grew from the first reading to the last, ns, as a hard bound; `None` without two.
    pub fn growth(&self) -> Option<Interval> {
        let (last, _) = self.last?;
        let (low, high) = growth(self.first.filter(|first| *first != last)?, last);
        Some(interval(low, high))
    }
}

/// Bounds of the growth, ns: the offset lies between value − after and value − before.
fn growth(from: Bracketed, to: Bracketed) -> (i64, i64) {
    let apart = |later: u64, earlier: u64| later.wrapping_sub(earlier) as i64;
    let advance = apart(to.value, from.value);
    let low = advance.saturating_sub(apart(to.after, from.before)).saturating_sub(CUT_NS / 2);
    let high = advance.saturating_sub(apart(to.before, from.after)).saturating_add(CUT_NS / 2);
    (low, high)
}

fn interval(low: i64, high: i64) -> Interval {
    let (low, high) = (low as f64, high as f64);
    Interval { value: f64::midpoint(low, high), low, high }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn moment(ns: f64) -> Moment {
        Moment { witness_ns: ns, kernel_ns: ns }
    }

    /// Readings 10 ms apart in brackets of 60 ns, with steps before some of them.
    fn offset(steps: &[(u64, i64)]) -> Offset {
        let mut offset = Offset::default();
        let mut stepped = 1 << 60;
        for i in 0..100 {
            stepped += steps.iter().filter(|s| s.0 == i).map(|s| s.1).sum::<i64>();
            let t = 5_000_000 + i * 10_000_000;
            let value = (t + 10 + i * 7 % 40).wrapping_add(stepped as u64);
            offset.add(Bracketed { before: t, value, after: t + 60 }, moment(t as f64));
        }
        offset
    }

    #[test]
    fn a_step_is_found_with_its_size_and_time() {
        for size in [1_000_000_000, -1_000_000_000, 10_000_000, -10_000_000, 300, -300] {
            let found = offset(&[(40, size)]);
            let [change] = found.changes() else { panic!("{size}: {:?}", found.changes()) };
            let Interval { low, high, .. } = change.size;
            assert!(low <= size as f64 && size as f64 <= high && high - low < 200.0, "{size}: {change:?}");
            assert_eq!((change.from.kernel_ns, change.to.kernel_ns), (395e6, 405e6));
        }
    }

    #[test]
    fn without_a_step_there_is_none_and_the_growth_holds_zero() {
        let found = offset(&[]);
        assert!(found.changes().is_empty());
        let growth = found.growth().unwrap();
        assert!(growth.low <= 0.0 && 0.0 <= growth.high && growth.high - growth.low < 200.0, "{growth:?}");
    }

    #[test]
    fn two_steps_are_two_and_their_sum_is_the_growth() {
        let found = offset(&[(10, 6_000_000_000), (20, -1_000_000_000)]);
        assert_eq!(found.changes().len(), 2);
        assert!((found.growth().unwrap().value - 5e9).abs() < 200.0);
    }

    #[test]
    fn a_wide_bracket_hides_no_step() {
        let mut found = offset(&[]);
        let t = 2_000_000_000;
        // Interrupted for 5 ms beside the reading; 1 ms of step is within what that leaves open.
        let off = (1 << 60) + 1_000_000;
        found.add(Bracketed { before: t, value: t + 10 + off, after: t + 5_000_000 }, moment(2e9));
        assert!(found.changes().is_empty());
        assert!(found.growth().unwrap().high > 1e6);
    }

    #[test]
    fn one_reading_or_a_bracket_that_runs_back_tells_nothing() {
        let mut offset = Offset::default();
        assert_eq!(offset.growth(), None);
        offset.add(Bracketed { before: 10, value: 5, after: 2 }, moment(0.0));
        offset.add(Bracketed { before: 10, value: 5, after: 12 }, moment(0.0));
        assert_eq!(offset.growth(), None);
    }

    proptest! {
        #[test]
        fn no_readings_make_it_panic(readings in prop::collection::vec(any::<[u64; 3]>(), 0..20)) {
            let mut offset = Offset::default();
            for [before, value, after] in readings {
                offset.add(Bracketed { before, value, after }, moment(0.0));
            }
            let _ = offset.growth();
        }
    }
}
