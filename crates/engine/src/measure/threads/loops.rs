//! The loop of one thread, generic over the clock.

use std::sync::atomic::{AtomicBool, Ordering};

use clockscope_analysis::trace::{Counted, Paired, Stamp};

use super::evidence::Evidence;
use super::sheet::Sheet;
use crate::catalog::Clock;
use crate::measure::Witness;

/// Pairs by which a thread learns how long one usually is, at most; and at least, where it is told to stop meanwhile.
const LEARN: (usize, usize) = (256, 8);
/// What is longer than so many usual pairs is looked into, and nothing below so many ns: a cache miss is no interruption.
const USUAL: f64 = 3.0;
const LEAST_NS: f64 = 1000.0;
/// Told to stop, a thread that came late reads so many pairs all the same, unless that takes longer than these ns.
const FEWEST: u64 = 1000;
const LATE_NS: f64 = 1e6;
/// From here on a process may have been stopped and continued, ns.
const STOP_NS: f64 = 1e6;

/// What the loop has to know of the clock.
#[derive(Clone, Copy)]
pub struct Terms {
    /// Nanoseconds a count.
    pub count_ns: f64,
    /// Its quantum, counts; 0 where it is not known.
    pub quantum: f64,
    /// Whether its values are one CPU's.
    pub per_cpu: bool,
    /// Pairs after which a thread is done.
    pub most: Option<u64>,
    /// The clock by which it is known how long the thread read, and nanoseconds a count of it.
    pub watch: (Witness, f64),
}

impl Terms {
    fn since_ns(&self, before: Stamp) -> f64 {
        self.watch.0.stamp().since(before) as f64 * self.watch.1
    }
}

/// A clock that a thread can time nothing with.
pub trait Pairing: Send {
    /// Reads pairs until told to stop, some at least.
    fn pairs(&self, terms: &Terms, evidence: &mut dyn Evidence, stop: &AtomicBool) -> Paired;
}

impl<C: Clock> Pairing for C {
    fn pairs(&self, terms: &Terms, evidence: &mut dyn Evidence, stop: &AtomicBool) -> Paired {
        let mut sheet = Sheet::new();
        let usual = learn(self, stop);
        let threshold = (USUAL * usual + 2.0 * terms.quantum).max(LEAST_NS / terms.count_ns).ceil() as i64;
        sheet.rest.threshold = threshold as u64;
        let mut seen = evidence.look(false);
        let (mut start, mut end) = (C::room(), C::room());
        let begun = terms.watch.0.stamp();
        // The stop of the pair before, and that pair's length. It is added one pair late: the next reads need not wait then for
        // the sum that it goes to, as its length has been known for a whole pair.
        let mut last: Option<(u64, u64)> = None;
        let most = terms.most.unwrap_or(u64::MAX);
        let mut made: u64 = 0;
        loop {
            let failed = self.call(&mut start) | self.call(&mut end);
            let (from, to) = (C::count(&start), C::count(&end));
            let length = to.wrapping_sub(from) as i64;
            let gap = last.map_or(0, |(last, _)| from.wrapping_sub(last) as i64);
            if let Some((_, before)) = last {
                sheet.add(before);
            }
            if failed != 0 {
                sheet.rest.failed += 1;
                last = None;
            } else if (0..=threshold).contains(&length) && (0..=threshold).contains(&gap) {
                last = Some((to, length as u64));
            } else {
                let looked = terms.watch.0.stamp();
                let long = length.max(gap) as f64 * terms.count_ns > STOP_NS;
                seen = rare(&mut sheet, terms, [length, gap], seen, evidence.look(long));
                sheet.rest.looking_ns += terms.since_ns(looked);
                last = None;
            }
            made += 1;
            let is_enough = |made| made >= FEWEST || terms.since_ns(begun) > LATE_NS;
            if made == most || stop.load(Ordering::Relaxed) && is_enough(made) {
                break;
            }
        }
        if let Some((_, before)) = last {
            sheet.add(before);
        }
        sheet.rest.observed_ns = terms.since_ns(begun);
        sheet.finish()
    }
}

/// A pair that was long, or came after a long gap, or a reading that went back: what was seen before and after it.
fn rare(
    sheet: &mut Sheet,
    terms: &Terms,
    [length, gap]: [i64; 2],
    before: (Option<u32>, Counted),
    now: (Option<u32>, Counted),
) -> (Option<u32>, Counted) {
    let threshold = sheet.rest.threshold as i64;
    let migrated = before.0.zip(now.0).is_some_and(|(before, now)| before != now);
    let mut grown = now.1.since(&before.1);
    if migrated {
        // One CPU's after the other's.
        (grown.stolen_ns, grown.interrupts, grown.interrupted_ns) = (None, None, None);
    }
    let rest = &mut sheet.rest;
    rest.migrations += u64::from(migrated);
    for back in [length, gap].map(|step| step.min(0).unsigned_abs()).into_iter().filter(|back| *back > 0) {
        rest.backward += 1;
        rest.farthest_back = rest.farthest_back.max(back);
    }
    if gap > threshold {
        rest.between_counts = rest.between_counts.saturating_add(gap as u64);
    }
    let Ok(counts) = u64::try_from(length) else { return now };
    // A thread that was moved while a pair was long was moved within it.
    if length > threshold && migrated && terms.per_cpu {
        rest.retried += 1;
        rest.retried_counts = rest.retried_counts.saturating_add(counts);
        return now;
    }
    sheet.add(counts);
    if length > threshold {
        sheet.long(counts, migrated, grown);
    }
    now
}

/// How long a pair usually is, counts.
fn learn<C: Clock>(clock: &C, stop: &AtomicBool) -> f64 {
    let (mut start, mut end) = (C::room(), C::room());
    let mut lengths = [0; LEARN.0];
    let mut learnt = 0;
    for at in 0..LEARN.0 {
        if at >= LEARN.1 && stop.load(Ordering::Relaxed) {
            break;
        }
        if clock.call(&mut start) | clock.call(&mut end) == 0 {
            lengths[learnt] = C::count(&end).wrapping_sub(C::count(&start)) as i64;
            learnt += 1;
        }
    }
    let lengths = &mut lengths[..learnt];
    lengths.sort_unstable();
    lengths.get(learnt / 2).map_or(0.0, |median| (*median).max(0) as f64)
}
