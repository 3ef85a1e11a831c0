//! The counter beside every clock, evenly through the run. Method: docs/method/frequency.md.

use std::time::Duration;

use super::phase::Phase;
use crate::session::{SLOW_NS, Session};

pub(super) const PHASE: Phase = Phase { until: 1.0, run: beside, settles: true };

/// Rounds a run, where its time allows; the readings of a clock that are kept are some thousands.
const ROUNDS: f64 = 1024.0;
/// Least and most time between two rounds, ns.
const APART_NS: (f64, f64) = (0.5e6, 50e6);
/// Readings a round: the first ones after a sleep find cold caches.
const READS: usize = 4;

fn beside(session: &mut Session, until_ns: f64) {
    let clocks = session.surveyed();
    let apart_ns = ((until_ns - session.elapsed_ns()) / ROUNDS).clamp(APART_NS.0, APART_NS.1);
    loop {
        let began_ns = session.elapsed_ns();
        for &clock in &clocks {
            let reads = if session.read_ns(clock) < SLOW_NS { READS } else { 1 };
            (0..reads).for_each(|_| session.anchor(clock));
        }
        session.anchor_reference(READS);
        session.look();
        session.progress("reading the counter beside every clock");
        let now_ns = session.elapsed_ns();
        if session.stop() || now_ns >= until_ns {
            return;
        }
        let rest_ns = (began_ns + apart_ns).min(until_ns) - now_ns;
        if rest_ns > 0.0 {
            std::thread::sleep(Duration::from_nanos(rest_ns as u64));
        }
    }
}
