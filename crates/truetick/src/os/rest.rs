//! How much of an offset (ADJ_OFFSET) the wall clock may still lack, by what the kernel has told.
//!
//! The kernel takes off what it removes in a second as that begins, and tells what is left. But a second begins with a timer
//! tick: where all CPUs sleep, or the one that keeps time is taken away, it begins late, and for as long the clock goes on at
//! the old rate, which nobody puts right (kernel/time/ntp.c, `second_overflow`; `timekeeping_adjust` comes after). And an
//! offset that takes another one's place leaves that one's rate until the second ends. So what counts is the greatest rest
//! that was told since the daemon spoke last, which makes the maximum error fall; of the one before it a third is kept, for a
//! second removes a quarter of a rest, which is a third of what it then tells.

use core::sync::atomic::{
    AtomicU64,
    Ordering::{AcqRel, Acquire},
};

/// As one word: bit 63 that anything was told; from bit 32 on, 24 bits, the maximum error told last, µs; below, the rest, ns.
static KEPT: AtomicU64 = AtomicU64::new(0);
const TOLD: u64 = 1 << 63;
const ERROR_SHIFT: u32 = 32;
const MOST_ERROR: u64 = (1 << 24) - 1;
const REST: u64 = (1 << ERROR_SHIFT) - 1;
/// The maximum error grows by no less each second, µs: answers to two threads may come in the wrong order, and the earlier
/// one is no daemon's word.
const STEP_US: u64 = 500;

/// What may remain, ns, once the kernel has told that rest, ns, and that maximum error, µs.
pub(super) fn after(rest: u64, error: u64) -> u64 {
    let (Ok(before) | Err(before)) = KEPT.fetch_update(AcqRel, Acquire, |before| Some(next(before, rest, error)));
    next(before, rest, error) & REST
}

fn next(before: u64, rest: u64, error: u64) -> u64 {
    let (rest, error) = (rest.min(REST), error.min(MOST_ERROR));
    let (last, kept) = (before >> ERROR_SHIFT & MOST_ERROR, before & REST);
    let rest = match before {
        0 => rest,
        _ if error + STEP_US < last => rest + kept / 3,
        _ => rest.max(kept),
    };
    TOLD | error << ERROR_SHIFT | rest.min(REST)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What may remain after each of these: a rest, ns, and the maximum error, µs.
    fn kept<const N: usize>(told: [(u64, u64); N]) -> [u64; N] {
        let mut word = 0;
        told.map(|(rest, error)| {
            word = next(word, rest, error);
            word & REST
        })
    }

    #[test]
    fn the_greatest_rest_counts_until_the_daemon_speaks_again() {
        let ms = 1_000_000;
        let told = [(400 * ms, 0), (300 * ms, 500), (0, 9000), (0, 16_000), (3 * ms, 0), (0, 9000), (0, 0), (0, 0)];
        let wanted = [400, 400, 400, 400, 136, 136, 45, 45];
        assert_eq!(kept(told).map(|ns| ns / ms), wanted);
        // A new offset that is larger counts at once, whether or not the error fell.
        assert_eq!(kept([(ms, 4000), (5 * ms, 4000), (0, 4500)]), [ms, 5 * ms, 5 * ms]);
    }

    #[test]
    fn answers_in_the_wrong_order_are_no_word_of_the_daemons() {
        assert_eq!(kept([(900, 4500), (600, 5000), (700, 4500)]), [900; 3]);
    }

    #[test]
    fn any_answer_fits() {
        for (rest, error) in [(u64::MAX, u64::MAX), (0, u64::MAX), (u64::MAX, 0)] {
            let [first, second] = kept([(rest, error), (rest, 0)]);
            assert!(first >= rest.min(REST) && second >= rest.min(REST));
        }
        assert_eq!(after(0, 5), KEPT.load(Acquire) & REST);
    }
}
