//! Between the time and the wall clock, past or to come.

use super::{Basis, Chain, by_wall::WallSeen};
use crate::{
    discipline::{STEADY, WRONG},
    hardware::Hardware,
    wall::{Unbounded, WallReading},
    word::Word,
};

impl<W: Word, const N: usize> Chain<W, N> {
    /// The wall clock where the time is `ns` (an `i64`: it may be before the system's start), by what the two differ now, and
    /// how far that may be off.
    ///
    /// By the difference that the reading's own line has, not by one that is looked up: where the clock was set since the
    /// line was laid, difference and bounds are both of the setting before.
    pub(crate) fn to_wall(&self, hw: &impl Hardware, ns: i64) -> WallReading {
        let WallSeen { reading: now, offset, doubt } = self.wall_slow(hw, true);
        let ns = ns.saturating_add(offset as i64);
        if offset == 0 {
            return WallReading::new(ns, Err(Unbounded::ClockFails), Err(Unbounded::ClockFails));
        }
        let apart = ns.abs_diff(now.ns) as f64;
        let grown = |error: Result<u64, Unbounded>, part: f64| {
            Ok(error?.saturating_add(doubt).saturating_add((apart * part) as u64 + 1))
        };
        WallReading::new(ns, grown(now.within(), WRONG), grown(now.within_if_steady(), STEADY))
    }

    /// The time at which the wall clock shows `unix` ns, by the same difference. `None`: the clocks fail, or that can't be
    /// represented.
    pub(crate) fn of_wall(&self, hw: &impl Hardware, unix: i64) -> Option<i64> {
        // So that the line has a difference.
        self.wall(hw);
        let offset = match self.basis() {
            Basis::Line(fit) if fit.wall.offset != 0 => fit.wall.offset,
            _ => self.wall_offset(hw)?.offset,
        };
        unix.checked_sub(offset as i64)
    }
}

#[cfg(test)]
mod tests {
    use core::sync::atomic::{
        AtomicI64, AtomicU64,
        Ordering::{Relaxed, SeqCst},
    };

    use super::*;
    use crate::{
        source::{Choice, Source, Why},
        wall::Accuracy,
    };

    /// A counter of 1 GHz, a system's clock that shows the same, and a wall clock that is so far ahead; the source.
    struct Board(AtomicU64, AtomicI64, Source);

    const AHEAD: i64 = 7_000_000_000;

    impl Hardware for Board {
        fn relaxed(&self) -> u64 {
            self.0.fetch_add(10, SeqCst)
        }
        fn ordered(&self) -> u64 {
            self.relaxed()
        }
        fn system_ns(&self) -> Option<u64> {
            Some(self.relaxed())
        }
        fn wall_ns(&self) -> Option<i64> {
            Some(self.relaxed() as i64 + self.1.load(Relaxed))
        }
        /// UTC is what the wall clock shows to begin with.
        fn accuracy(&self) -> Accuracy {
            Accuracy::within(AHEAD.abs_diff(self.1.load(Relaxed)) + 1000, 0)
        }
        fn choose(&self) -> Choice {
            Choice::new(self.2, Why::Forced)
        }
    }

    fn board(source: Source) -> (Chain, Board) {
        let (chain, board) = (Chain::new(), Board(AtomicU64::new(1 << 40), AtomicI64::new(AHEAD), source));
        for _ in 0..1000 {
            board.0.fetch_add(1_000_000, Relaxed);
            chain.wall_with_bounds(&board);
        }
        (chain, board)
    }

    /// How far the wall clock where the time is `ns` is off what it states.
    fn outside(seen: WallReading, ns: i64) -> u64 {
        seen.ns.abs_diff(ns + AHEAD).saturating_sub(seen.within_if_steady().unwrap())
    }

    #[test]
    fn the_stated_holds_while_a_line_has_not_seen_that_the_clock_was_set() {
        for source in [Source::Counter, Source::System] {
            let (chain, board) = board(source);
            for by in [-1_000_000_000, 5_000_000] {
                let now = chain.now(&board) as i64;
                assert_eq!(outside(chain.to_wall(&board, now), now), 0);
                board.1.fetch_add(by, Relaxed);
                // Up to the line's end and beyond.
                for _ in 0..30 {
                    board.0.fetch_add(100_000, Relaxed);
                    for at in [now, now - 3_600_000_000_000] {
                        let seen = chain.to_wall(&board, at);
                        assert_eq!(outside(seen, at), 0, "set by {by} under {source:?}: {seen:?}");
                        assert!(chain.of_wall(&board, seen.ns).unwrap().abs_diff(at) < 1000);
                    }
                }
            }
            let seen = chain.to_wall(&board, 0);
            // By the least difference that was seen, which lies a reading or two below.
            let behind = board.1.load(Relaxed) - seen.ns;
            assert!((0..=20).contains(&behind), "in the end it goes by the new setting: {behind}");
        }
    }

    #[test]
    fn the_uncertainty_grows_with_the_distance() {
        let (chain, board) = board(Source::Counter);
        let (now, hour) = (chain.now(&board) as i64, 3_600_000_000_000);
        let near = chain.to_wall(&board, now);
        for at in [now - hour, now + hour] {
            let far = chain.to_wall(&board, at);
            let grown = |f: fn(&WallReading) -> Result<u64, Unbounded>| (f(&far).unwrap() - f(&near).unwrap()) as f64;
            assert!((grown(WallReading::within) / hour as f64 - 0.3).abs() < 1e-3, "{far:?} {near:?}");
            assert!((grown(WallReading::within_if_steady) / hour as f64 - 500e-6).abs() < 1e-6, "{far:?} {near:?}");
        }
    }
}
