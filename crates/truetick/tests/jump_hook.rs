//! The counter seems to jump by ±10 s on this very machine: the clock stays with the kernel's, and never goes
//! back. Only bounds that a busy machine can't break are asserted.
#![cfg(not(any(loom, miri)))]

mod again;

use std::time::Duration;

use truetick::{Clock, Instant, Source};

fn read_for(time: Duration) {
    let (std, mut last) = (std::time::Instant::now(), Instant::now());
    while std.elapsed() < time {
        let now = Instant::now();
        assert!(now >= last, "{now:?} after {last:?}");
        last = now;
    }
}

#[test]
fn the_kernels_word_counts_after_a_jump() {
    if again::with("the_kernels_word_counts_after_a_jump", "TRUETICK_TEST_HOOKS", "1") {
        return;
    }
    read_for(Duration::from_millis(50));
    if Clock::source() != Source::Counter {
        println!("the counter is not used here: nothing to test");
        return;
    }
    for seconds in [10.0, -10.0] {
        let Some(hz) = Clock::frequency_hz() else { continue };
        let before = Instant::now();
        let std = std::time::Instant::now();
        // Another reading may have published in between; then once more.
        assert!((0..10).any(|_| Clock::pretend_jump((seconds * hz) as i64)), "no jump could be made");
        let after = Instant::now();
        assert!(after >= before);
        // Whatever the counter does, time has passed as std says, give or take a line's length.
        let (taken, real) = (after - before, std.elapsed());
        assert!(taken < real + Duration::from_millis(25), "{taken:?}, but {real:?} have passed");
        read_for(Duration::from_millis(100));
        let reading = Clock::reading();
        assert!(reading.uncertainty_ns.is_some());
    }
}
