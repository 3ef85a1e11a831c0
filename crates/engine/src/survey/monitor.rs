//! A watch: a look at all clocks each interval, and sleep in between. Method: docs/method/monitor.md.

use std::time::Duration;

use super::phase::Phase;
use crate::session::{SLOW_NS, Session};

pub(super) const PHASE: Phase = Phase { until: 1.0, run: watch, settles: false };

/// Tries for a tight bracket: the first reads after a sleep find cold caches.
const TRIES: usize = 6;
/// Of a clock whose reads take long.
const FEW_TRIES: usize = 2;
/// Longest sleep, after which the observer is asked whether to go on.
const NAP: Duration = Duration::from_millis(50);

/// All of the run's time, from the first look on: what came before is not watched.
fn watch(session: &mut Session, _: f64) {
    let every_ns = (session.options.every.as_nanos() as f64).max(1e6);
    let start_ns = session.elapsed_ns();
    // The look at the end is due at the end.
    let until_ns = start_ns + session.options.time_ns() + every_ns / 1000.0;
    let mut number: u64 = 0;
    loop {
        let late_ns = session.elapsed_ns() - start_ns - number as f64 * every_ns;
        session.polled(number, every_ns as u64, late_ns.max(0.0) as u64);
        for clock in session.surveyed() {
            let tries = if session.read_ns(clock) < SLOW_NS { TRIES } else { FEW_TRIES };
            session.tightest(clock, tries);
        }
        session.shown();
        let passed = ((session.elapsed_ns() - start_ns) / every_ns) as u64;
        number = passed.max(number) + 1;
        let next_ns = start_ns + number as f64 * every_ns;
        if next_ns > until_ns {
            return;
        }
        if !sleep(session, next_ns, every_ns) {
            return;
        }
    }
}

/// Sleeps until then; `false`: the run is to end.
fn sleep(session: &mut Session, next_ns: f64, every_ns: f64) -> bool {
    // Bounded, should the clock stand still that the time is taken from.
    let most = 4 * (every_ns / NAP.as_nanos() as f64) as u64 + 4;
    for _ in 0..most {
        session.progress("watching");
        if session.stop() {
            return false;
        }
        let left_ns = next_ns - session.elapsed_ns();
        if left_ns <= 0.0 {
            break;
        }
        std::thread::sleep(NAP.min(Duration::from_nanos(left_ns as u64)));
    }
    !session.stop()
}
