//! Whether the kernel's word on its wall clock is from before a sleep of the machine.
//!
//! When it wakes, the kernel moves the wall clock by what the battery's clock counted, to a second, unless a counter went on
//! (kernel/time/timekeeping.c, `timekeeping_resume`); and it leaves its word on the error as it was. So after a sleep no word
//! counts until the maximum error has been seen to fall, which nobody but a daemon makes it do, or the clock has been called
//! unsynchronized, after which only a daemon calls it otherwise.

use core::sync::atomic::{
    AtomicU64,
    Ordering::{AcqRel, Acquire},
};

use crate::{os::system, wall::Unbounded};

/// What was seen last, as one word: bit 63 that anything was; from bit 24 on, 38 bits, how long the machine has slept
/// altogether, ms; below, 0: the word is to be believed, else the maximum error and 1, µs, for the next to be less than.
static SEEN: AtomicU64 = AtomicU64::new(0);
const ASKED: u64 = 1 << 63;
const SLEPT_SHIFT: u32 = 24;
const SLEPT_BITS: u32 = 38;
const LEAST: u64 = (1 << SLEPT_SHIFT) - 1;
/// Below any maximum error: where it stands when a sleep is noticed, as what was asked then may be from before it.
const NOTICED: u64 = 1;
/// What reading two clocks in turn hides, ms. A sleep is some tenths of a second at least.
const SLACK_MS: i64 = 1;

/// To be taken before the kernel is asked.
pub(super) fn seen() -> u64 {
    SEEN.load(Acquire)
}

/// Whether the maximum error that the kernel has told since `before` was [`seen`], µs, is from before a sleep, as far as this
/// process knows: what there was before it asked first, it does not.
pub(super) fn is_outlived(before: u64, error: Result<u64, Unbounded>) -> bool {
    // Later than the error, so that one that is less than the one in `before` is of the time after the sleep in there.
    let Some(slept) = slept_ms() else { return false };
    let after = next(before, slept, error);
    if after != before {
        // Whoever was quicker has seen as much.
        let _ = SEEN.compare_exchange(before, after, AcqRel, Acquire);
    }
    after & LEAST != 0
}

/// Between what the machine has slept altogether (or its time namespace says so), ms. `None`: the clocks fail.
fn slept_ms() -> Option<[i64; 2]> {
    let before = system::monotonic_ns()? as i64;
    let with_sleep = system::boottime_ns()? as i64;
    let after = system::monotonic_ns()? as i64;
    Some([with_sleep.wrapping_sub(after), with_sleep.wrapping_sub(before)].map(|ns| ns.div_euclid(1_000_000)))
}

fn next(before: u64, [low, high]: [i64; 2], error: Result<u64, Unbounded>) -> u64 {
    let known = ((before >> SLEPT_SHIFT << (64 - SLEPT_BITS)) as i64) >> (64 - SLEPT_BITS);
    let word = |least: u64| ASKED | (low as u64) << (64 - SLEPT_BITS) >> (64 - SLEPT_BITS - SLEPT_SHIFT) | least;
    if before == 0 {
        return word(0);
    }
    if !(low - SLACK_MS..=high + SLACK_MS).contains(&known) {
        return word(NOTICED);
    }
    let (same, least) = (before & !LEAST, before & LEAST);
    match error {
        _ if least == 0 => before,
        Err(Unbounded::Unsynchronized) => same,
        Err(_) => before,
        Ok(error) if error + 1 < least => same,
        Ok(error) => same | (error + 1).min(LEAST),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000;

    /// Whether the word is outlived after each of these: how long the machine has slept by then, and the maximum error.
    fn outlived<const N: usize>(asked: [(i64, Result<u64, Unbounded>); N]) -> [bool; N] {
        let mut seen = 0;
        asked.map(|(slept, error)| {
            seen = next(seen, [slept, slept], error);
            seen & LEAST != 0
        })
    }

    #[test]
    fn after_a_sleep_the_error_has_to_fall() {
        for start in [0, 5 * HOUR, -HOUR] {
            let at = |slept, error| (start + slept, Ok(error));
            // Falling before the sleep does not count; neither does what was asked as the sleep was noticed.
            let asked = [at(0, 900), at(0, 400), at(HOUR, 300), at(HOUR, 200), at(HOUR, 16_000_000), at(HOUR, 15_000)];
            assert_eq!(outlived(asked), [false, false, true, true, true, false], "{start}");
            // A second sleep counts from its own end.
            let asked =
                [at(0, 900), at(HOUR, 900), at(HOUR, 900), at(2 * HOUR, 100), at(2 * HOUR, 99), at(2 * HOUR, 98)];
            assert_eq!(outlived(asked), [false, true, true, true, true, false], "{start}");
        }
    }

    #[test]
    fn an_unsynchronized_clock_has_nothing_left_of_its_word() {
        let unsynchronized = Err(Unbounded::Unsynchronized);
        let asked = [(0, Ok(9)), (HOUR, unsynchronized), (HOUR, unsynchronized), (HOUR, Ok(2000))];
        assert_eq!(outlived(asked), [false, true, false, false]);
        // No answer is none of the kind.
        let no_answer = Err(Unbounded::NoAnswer);
        assert_eq!(outlived([(0, Ok(9)), (HOUR, Ok(9)), (HOUR, no_answer), (HOUR, Ok(9))]), [false, true, true, true]);
    }

    #[test]
    fn what_the_process_began_with_is_no_sleep_and_neither_is_a_slow_look() {
        assert_eq!(outlived([(HOUR, Ok(9)), (HOUR + 1, Ok(900))]), [false, false]);
        let seen = next(0, [HOUR, HOUR], Ok(9));
        assert_eq!(next(seen, [HOUR - 900, HOUR + 20], Ok(9)), seen);
        assert_ne!(next(seen, [HOUR + 2, HOUR + 20], Ok(9)), seen);
    }

    #[test]
    fn this_machine_has_not_slept_since() {
        assert_eq!([0, 1].map(|_| is_outlived(seen(), Ok(5))), [false, false]);
        let [low, high] = slept_ms().unwrap();
        assert!(high - low < 1000, "{low} {high}");
    }
}
