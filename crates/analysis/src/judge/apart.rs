//! What a comparison between CPUs says of a clock.

use crate::analyze::skew::is_apart;
use crate::record::{Skew, SkewPair};

/// Whether the clock's readings disagree between any two CPUs.
pub(super) fn is_disagreeing(skew: &Skew) -> bool {
    skew.agree == Some(false) || skew.backward.count > 0 || skew.pairs.iter().any(is_apart)
}

/// Whether what `own` was found to differ by leaves out, for every pair on which `counter` is apart, what that one differs
/// by.
pub(super) fn leaves_out(own: &Skew, counter: &Skew) -> bool {
    let bounds = |pair: &SkewPair| pair.low_ns.zip(pair.high_ns);
    let mut apart = counter.pairs.iter().filter(|pair| is_apart(pair)).peekable();
    apart.peek().is_some()
        && apart.all(|there| {
            let here = own.pairs.iter().find(|p| (p.cpu_a, p.cpu_b) == (there.cpu_a, there.cpu_b));
            here.and_then(bounds).zip(bounds(there)).is_some_and(|(here, there)| here.1 < there.0 || there.1 < here.0)
        })
}
