//! The first line: comparisons are gathered until three make one.

use core::sync::atomic::Ordering::Acquire;

use super::{Chain, Compared, Comparison, FOR_GOOD, NS_SHIFT, Reading, by_fit};
use crate::{
    discipline::{self, Interval, SHORTEST_NS, STALE_NS, WORDS},
    hardware::{Anchor, Hardware, Rules},
    ring::{POINTER, Refused},
    word::Word,
};

impl<W: Word, const N: usize> Chain<W, N> {
    /// Gathers comparisons until they make a line.
    pub(super) fn first_line(&self, hw: &impl Hardware, kernel: u64) -> Option<Reading> {
        let rules = Rules::of(hw);
        let pointer = self.start.load(Acquire);
        let known = if pointer == 0 { None } else { Some(self.ring.read(&self.start, pointer)?) };
        let anchor = |w: &[u64; WORDS], i: usize| Anchor { ticks: w[i], ns: w[i + 1], half: w[i + 2] };
        let latest = known.map(|w| anchor(&w, 0));
        let age = latest.map(|a| kernel.wrapping_sub(a.ns) as i64);
        // So long that the clock's steps say little of a rate: an eighth.
        let apart = SHORTEST_NS.max(8 * rules.step_ns) as i64;
        if age.is_some_and(|age| (0..apart).contains(&age)) {
            return None;
        }
        let Comparison::Made(Compared { anchor: now, .. }) = self.compare(hw, 0) else { return None };
        // Word 6: whether words 3 to 5 hold an earlier comparison.
        let mut words = [0; WORDS];
        [words[0], words[1], words[2]] = [now.ticks, now.ns, now.half];
        let (Some(known), Some(mid)) = (known, latest) else {
            let _ = self.ring.publish(&self.start, pointer, &words);
            return None;
        };
        if Interval::of(mid, now, rules).is_none_or(|i| i.ns > STALE_NS) {
            let _ = self.ring.publish(&self.start, pointer, &words);
            return None;
        }
        if known[6] == 0 {
            [words[3], words[4], words[5], words[6]] = [mid.ticks, mid.ns, mid.half, 1];
            let _ = self.ring.publish(&self.start, pointer, &words);
            return None;
        }
        let old = anchor(&known, 3);
        // Other readers keep raising the floor while this one works; one of them soon gets through.
        for _ in 0..100 {
            let state = self.state.load(Acquire);
            if state & (POINTER | FOR_GOOD) != 0 {
                return None;
            }
            let Some(fit) = discipline::first(old, mid, now, hw.ordered(), state >> NS_SHIFT, rules) else {
                let _ = self.ring.publish(&self.start, pointer, &words);
                return None;
            };
            let fit = self.with_wall(hw, fit);
            match self.ring.publish(&self.state, state, &fit.words()) {
                Ok(_) => {
                    self.ring.replace(&self.start, pointer, 0);
                    return Some(by_fit(fit.line.base, &fit, fit.line.start, rules));
                }
                Err(Refused::Lost) => {}
                Err(Refused::Full) => return None,
            }
        }
        None
    }
}
