//! The rate of a clock that moves more slowly than it is read, by the moments at which it moves.
//!
//! Two readings within one step say nothing of a rate, and the steps of a kernel's tick take milliseconds. The moment
//! of a step is known as sharply as a reading takes. But a timer's tick comes late now and then, by more than the
//! brackets tell; so the edges' own scatter about the line widens the interval.

use super::rate::{Quanta, rate as rate2};
fn rate(a: &[Bracketed], q: f64) -> Option<Interval> {
    rate2(a, Quanta { clock: q, by: 1.0 })
}
use super::stats;
use crate::record::Interval;
use crate::trace::Bracketed;

/// The moment between two adjacent reads at which the clock moved from the one's value to the other's; `None` where
/// it did not.
pub fn edge(last: Bracketed, read: Bracketed) -> Option<Bracketed> {
    (last.value != read.value).then_some(Bracketed { before: last.before, ..read })
}

/// Clock counts a witness count, from edges alone, oldest first; `None` without two of them apart.
pub fn by_edges(edges: &[Bracketed]) -> Option<Interval> {
    let first = rate(edges, 1.0)?;
    rate(edges, lateness(edges, first.value).max(1.0))
}

/// How far 19 of 20 edges lie from the line at most, in the reference's counts.
fn lateness(anchors: &[Bracketed], rate: f64) -> f64 {
    let Some(first) = anchors.first() else { return 0.0 };
    let middle = |a: &Bracketed| {
        let [before, after] = [a.before, a.after].map(|count| count.wrapping_sub(first.before) as i64 as f64);
        f64::midpoint(before, after)
    };
    let mut late: Vec<f64> =
        anchors.iter().map(|a| a.value.wrapping_sub(first.value) as i64 as f64 - rate * middle(a)).collect();
    stats::sort(&mut late);
    let Some(typical) = stats::median(&late) else { return 0.0 };
    for late in &mut late {
        *late = (*late - typical).abs();
    }
    stats::sort(&mut late);
    late.get(late.len() * 19 / 20).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads of 0.8 µs, one each µs, of a clock that moves every 4 ms, each step late by up to 50 µs, by a witness
    /// of 2.5 counts a ns.
    fn reads(us: u64) -> impl Iterator<Item = Bracketed> {
        (0..us).map(|us| {
            let (ns, step) = (us * 1000, us / 4000);
            let late = (step + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31);
            let late = (late.wrapping_mul(0x94D0_49BB_1331_11EB) >> 40) % 50_000;
            let value = ns.saturating_sub(late) / 4_000_000 * 4_000_000;
            Bracketed { before: ns * 5 / 2, value, after: (ns + 800) * 5 / 2 }
        })
    }

    #[test]
    fn a_clock_that_moves_with_the_timers_tick_is_known_by_its_edges() {
        let all: Vec<Bracketed> = reads(160_000).collect();
        let edges: Vec<Bracketed> = all.windows(2).filter_map(|pair| edge(pair[0], pair[1])).collect();
        assert_eq!(edges.len(), 39);
        let rate = by_edges(&edges).unwrap();
        assert!(rate.low <= 0.4 && 0.4 <= rate.high, "{rate:?}");
        assert!((rate.value / 0.4 - 1.0).abs() < 1e-3 && rate.high - rate.low < 0.01 * 0.4, "{rate:?}");
    }

    #[test]
    fn readings_within_a_step_tell_no_rate() {
        let within: Vec<Bracketed> = reads(50_000).step_by(900).collect();
        let found = rate(&within, 1.0);
        assert!(found.is_none_or(|r| r.low <= 0.0 || r.high - r.low > 0.01 * r.value), "{found:?}");
        assert_eq!(by_edges(&[]), None);
    }
}
