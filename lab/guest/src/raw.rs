//! How fast CLOCK_MONOTONIC_RAW runs by CLOCK_MONOTONIC, as hard bounds: a truth to hold a measured rate against.

use lab_guest::notes::RawRate;
use rustix::time::ClockId;

use crate::clocks::read;

/// The raw clock between two readings of the other, ns.
#[derive(Clone, Copy)]
pub(crate) struct Bracket {
    before: i64,
    raw: i64,
    after: i64,
}

/// The narrowest bracket of some hundreds.
pub(crate) fn bracket() -> Bracket {
    let one = || {
        let before = read(ClockId::Monotonic);
        let raw = read(ClockId::MonotonicRaw);
        Bracket { before, raw, after: read(ClockId::Monotonic) }
    };
    let mut best = one();
    for _ in 0..500 {
        let next = one();
        if next.after - next.before < best.after - best.before {
            best = next;
        }
    }
    best
}

/// The rate from one bracket to a later one.
pub(crate) fn rate(first: Bracket, last: Bracket) -> RawRate {
    let gained = (last.raw - first.raw) as f64;
    let ppm = |passed: i64| (gained / passed as f64 - 1.0) * 1e6;
    RawRate { low_ppm: ppm(last.after - first.before), high_ppm: ppm(last.before - first.after) }
}
