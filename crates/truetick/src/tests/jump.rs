//! The counter jumps by ±10 s under this very machine's clock: that stays with the kernel's, and never goes back. Only
//! bounds that a busy machine can't break are asserted.

use std::{
    sync::atomic::{AtomicU64, Ordering::SeqCst},
    time::{Duration, Instant as Std},
};

use crate::{
    hardware::Hardware,
    native::Native,
    source::{Choice, Source},
    timeline::Timeline,
};

/// This machine's counter, and so many ticks.
struct Moved(AtomicU64);

impl Hardware for Moved {
    fn relaxed(&self) -> u64 {
        Native.relaxed().wrapping_add(self.0.load(SeqCst))
    }
    fn ordered(&self) -> u64 {
        Native.ordered().wrapping_add(self.0.load(SeqCst))
    }
    fn system_ns(&self) -> Option<u64> {
        Native.system_ns()
    }
    fn choose(&self) -> Choice {
        Native.choose()
    }
}

/// Reads for so long; returns the last reading.
fn read_for(clock: &Timeline, hw: &Moved, time: Duration) -> u64 {
    let (std, mut last) = (Std::now(), clock.now(hw));
    while std.elapsed() < time {
        let now = clock.now(hw);
        assert!(now >= last, "{now} after {last}");
        last = now;
    }
    last
}

#[test]
fn the_kernels_word_counts_after_a_jump() {
    let (clock, hw) = (Timeline::new(), Moved(AtomicU64::new(0)));
    read_for(&clock, &hw, Duration::from_millis(50));
    if clock.choice().is_none_or(|choice| choice.source != Source::Counter) {
        println!("the counter is not used here: nothing to test");
        return;
    }
    for seconds in [10.0, -10.0] {
        let Some(hz) = clock.frequency_hz() else { continue };
        let found = clock.epoch().discontinuities;
        let (std, before) = (Std::now(), clock.now(&hw));
        hw.0.fetch_add((seconds * hz) as i64 as u64, SeqCst);
        let after = clock.now(&hw);
        assert!(after >= before);
        // Whatever the counter does, time has passed as std says, give or take a line's length.
        let (taken, real) = (Duration::from_nanos(after - before), std.elapsed());
        assert!(taken < real + Duration::from_millis(25), "{taken:?}, but {real:?} have passed");
        read_for(&clock, &hw, Duration::from_millis(100));
        assert!(clock.epoch().discontinuities > found && clock.reading(&hw).uncertainty_ns.is_some());
    }
}
