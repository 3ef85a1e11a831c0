//! The first look at the wall clock is interrupted: the next ones find its difference elsewhere. It was not set.

use std::cell::Cell;

use crate::{
    hardware::Hardware,
    source::{Choice, Source, Why},
    timeline::Timeline,
    wall::{Accuracy, Leap, Within},
};

const OFFSET: i64 = 7_000_000_000;
const SAID: u64 = 5000;

/// Each read takes 10 ns; the first ones of the wall clock, much longer.
struct Interrupted {
    time: Cell<u64>,
    interruptions: Cell<u64>,
    source: Source,
}

impl Interrupted {
    fn pass(&self, ns: u64) -> u64 {
        self.time.replace(self.time.get() + ns)
    }
}

impl Hardware for Interrupted {
    fn relaxed(&self) -> u64 {
        self.pass(10)
    }
    fn ordered(&self) -> u64 {
        self.pass(10)
    }
    fn system_ns(&self) -> Option<u64> {
        Some(self.pass(10))
    }
    fn wall_ns(&self) -> Option<i64> {
        let interruption = self.interruptions.replace(self.interruptions.get() / 2);
        Some(self.pass(10 + interruption) as i64 + OFFSET)
    }
    fn accuracy(&self) -> Accuracy {
        Accuracy { error: Ok(Within { ns: SAID, growth_ppb: 0 }), leap: Leap::None }
    }
    fn choose(&self) -> Choice {
        Choice { source: self.source, why: Why::Forced }
    }
}

#[test]
fn an_interrupted_look_at_the_wall_clock_is_no_clock_that_was_set() {
    for (source, interruption) in [Source::System, Source::Counter].into_iter().flat_map(|s| [(s, 400), (s, 200_000)]) {
        let (time, interruptions) = (Cell::new(1 << 30), Cell::new(interruption));
        let (clock, hw): (Timeline, _) = (Timeline::new(), Interrupted { time, interruptions, source });
        for _ in 0..100 {
            let before = hw.time.get() as i64 + OFFSET;
            let reading = clock.wall_with_bounds(&hw);
            let within = reading.within().unwrap_or_else(|why| panic!("{why}, by {source:?}, {interruption} ns"));
            // The clock is right: off by no more than the reading took, and what it states beyond SAID.
            let doubt = within - SAID;
            assert!(reading.ns >= before - doubt as i64 && reading.ns <= hw.time.get() as i64 + OFFSET + doubt as i64);
            hw.pass(1_000_000);
        }
    }
}
