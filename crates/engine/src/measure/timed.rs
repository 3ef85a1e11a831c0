//! Loops that time: chains of dependent operations, and nothing at all.

use clockscope_analysis::trace::{Chain, Stamp};

use super::meter::{chain, pause};
use crate::catalog::Clock;

/// Most steps of the pause before a timing: it begins anywhere between two steps of the clock, whatever was timed before.
const PAUSE: u32 = 128;

/// One chain a length, each timed by the clock and by the witness around that; `room` is for the clock's two reads of each.
/// Says how many reads failed.
#[inline(always)]
pub(super) fn lot<C: Clock>(
    clock: C,
    stamp: impl Fn() -> Stamp,
    random: &mut u64,
    chains: &mut [Chain],
    room: &mut [C::Raw],
) -> u64 {
    let mut failed = 0;
    for (one, pair) in chains.iter_mut().zip(room.chunks_exact_mut(2)) {
        pause(random, PAUSE);
        let before = stamp();
        failed += u64::from(clock.call(&mut pair[0]) != 0);
        *random = chain(*random, one.steps);
        failed += u64::from(clock.call(&mut pair[1]) != 0);
        one.witness = stamp().since(before);
        one.counts = since::<C>(&pair[0], &pair[1]);
    }
    failed
}

/// Pairs of start and stop, as a program makes them. Says how many reads failed.
#[inline(always)]
pub(super) fn empties<C: Clock>(clock: C, room: &mut [C::Raw], differences: &mut Vec<i64>) -> u64 {
    let mut failed = 0;
    for pair in room.chunks_exact_mut(2) {
        failed += u64::from(clock.call(&mut pair[0]) != 0);
        failed += u64::from(clock.call(&mut pair[1]) != 0);
    }
    differences.clear();
    if failed == 0 {
        differences.extend(room.chunks_exact(2).map(|pair| since::<C>(&pair[0], &pair[1])));
    }
    failed
}

fn since<C: Clock>(start: &C::Raw, stop: &C::Raw) -> i64 {
    C::count(stop).wrapping_sub(C::count(start)) as i64
}
