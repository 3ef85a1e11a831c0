//! Clocks that were not seen to change get their longest period's time, all together.

use super::phase::Phase;
use crate::session::Session;

pub(super) const PHASE: Phase = Phase { until: 1.0, run: all, settles: true };

/// Longest wait, ns: `time` changes once a second.
const SLOWEST_NS: f64 = 1.05e9;
/// Between two reads, while others may use the CPU.
const NAP: std::time::Duration = std::time::Duration::from_micros(300);

fn all(session: &mut Session, _: f64) {
    let started = session.elapsed_ns();
    let clocks = session.surveyed();
    loop {
        let asleep: Vec<usize> = clocks.iter().copied().filter(|clock| session.account(*clock).is_asleep()).collect();
        if asleep.is_empty() || session.elapsed_ns() - started >= SLOWEST_NS || session.stop() {
            break;
        }
        for clock in asleep {
            session.anchor(clock);
        }
        session.look();
        session.progress("waiting for slow clocks");
        std::thread::sleep(NAP);
    }
    for clock in clocks {
        if session.account(clock).is_slow() {
            session.finished(clock);
        }
    }
}
