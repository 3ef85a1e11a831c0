//! A test's clock for all threads; alone in its program, whose other tests it would confuse.
#![cfg(all(feature = "test-clock", not(loom)))]

use std::time::Duration;

use truetick::{Instant, test_clock::TestClock};

const fn at(ns: i64) -> Instant {
    Instant::from_nanos(ns)
}

#[test]
fn of_this_thread_alone_or_of_all() {
    let elsewhere = || std::thread::spawn(Instant::now).join().expect("it reads the clock");
    let here = TestClock::here(at(1));
    assert!(elsewhere() > at(2));
    let all = TestClock::everywhere(at(2));
    assert_eq!((elsewhere(), Instant::now()), (at(2), at(1)));
    all.advance(Duration::from_secs(1));
    assert_eq!((elsewhere(), all.now()), (at(1_000_000_002), at(1_000_000_002)));
    drop(here);
    assert_eq!(Instant::now(), all.now());
    drop(all);
    assert!(elsewhere() > at(1_000_000_002));
}
