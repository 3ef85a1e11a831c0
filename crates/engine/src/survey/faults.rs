//! The faults phase: single reads of one clock after the other, each between two stamps. Method: docs/method/faults.md.

use super::phase::{Phase, in_turn};
use crate::session::Session;

pub(super) const PHASE: Phase = Phase { until: 1.0, run: all, settles: false };

/// A lot of single reads takes about this long, ns: between two of them the kernel's clock is asked whether the witness
/// can be believed, so that little is lost where it can't.
const LOT_NS: f64 = 40_000.0;
/// The stamps around a read take about this long, ns; lots are a little longer or shorter where that is wrong.
const STAMPS_NS: f64 = 60.0;
/// Most reads of a lot.
const MOST: usize = 1024;

fn all(session: &mut Session, until_ns: f64) {
    in_turn(session, until_ns, "faults", |session, clock, slot| {
        one(session, clock, slot);
        if !session.account(clock).is_slow() {
            session.finished(clock);
        }
    });
}

/// Single reads of one clock, for `slot` ns or as many as were asked for.
fn one(session: &mut Session, clock: usize, slot: f64) {
    let started = session.elapsed_ns();
    let wanted = session.options.reads;
    let lot = ((LOT_NS / (session.read_ns(clock) + STAMPS_NS)) as usize).clamp(1, MOST);
    session.causes.settle();
    let mut done = 0;
    let mut last = session.witness(clock).stamp();
    while wanted.map_or_else(|| session.elapsed_ns() - started < slot, |wanted| done < wanted) && !session.stop() {
        let reads = wanted.map_or(lot, |wanted| lot.min((wanted - done) as usize));
        session.absence(clock, last);
        session.watch(clock, reads);
        last = session.lot_end();
        done += session.lot.reads.len() as u64 + session.lot.failed;
        session.look();
    }
    // A stop that eats up the rest of the slot is followed by no further lot.
    session.absence(clock, last);
}
