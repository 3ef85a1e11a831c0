//! The quantum phase: one clock after the other, read with random pauses. Method: docs/method/quantum.md.

use clockscope_analysis::analyze::MOST_READINGS;
use clockscope_analysis::trace::{Observation, Role};

use super::phase::{Phase, in_turn};
use crate::measure::MOST_READS;
use crate::session::{SLOW_NS, Session};

pub(super) const PHASE: Phase = Phase { until: 0.30, run: all, settles: true };
/// A coarse answer, where the quantum only widens other figures; half a second at most, however long the run is, so that one
/// that is cut short has begun with what it is for.
pub(super) const BRIEF: Phase = Phase { until: 0.05, run: brief, settles: true };

/// Longest time for all clocks of a brief one, ns.
const BRIEF_NS: f64 = 0.5e9;

fn brief(session: &mut Session, until_ns: f64) {
    all(session, until_ns.min(BRIEF_NS));
}

/// Readings for a quantum in a survey of the usual length, where the time allows: a lattice of 1.5 units stands out of
/// so many.
const READINGS: f64 = 65_536.0;
/// Longest time for one clock's quantum in a survey of the usual length, ns.
const LONGEST_SLOT_NS: f64 = 30e6;
/// A row of reads takes about this long, ns: far less than a scheduler's slice.
const ROW_NS: f64 = 18_000.0;

fn all(session: &mut Session, until_ns: f64) {
    let mut seen = Vec::new();
    in_turn(session, until_ns, "quantum", |session, clock, slot| {
        one(session, clock, slot);
        seen.push(clock);
        for &earlier in &seen {
            session.anchor(earlier);
        }
        session.anchor_reference(1);
        session.look();
    });
}

/// One clock's readings, for up to `slot` ns.
pub(super) fn one(session: &mut Session, clock: usize, slot: f64) {
    first_look(session, clock);
    let length = session.options.length();
    let read_ns = session.read_ns(clock);
    // The pause spreads over about one read; a step of it takes some nanoseconds.
    let pause = (read_ns / 2.0).clamp(16.0, 4000.0) as u32;
    let row = ((ROW_NS / (1.5 * read_ns)) as usize).clamp(1, MOST_READS / 2);
    let started = session.elapsed_ns();
    let slot = slot.min(LONGEST_SLOT_NS * length);
    // The analysis takes its time of the clock's turn as well, so that a short turn gets fewer readings.
    let most = ((READINGS * length) as usize).min(MOST_READINGS);
    // Where earlier clocks' analysis has eaten up the turn, a few readings all the same; but not of a clock that is read in
    // another way as well.
    let fewest = if session.description(clock).forced { 0 } else { FEWEST.min(most) };
    let wanted = ((slot / (1.5 * read_ns + ANALYSIS_NS)) as usize).clamp(fewest, most);
    let mut rows = 0;
    // A clock slower than its reads takes its whole slot, and no clock more than that.
    loop {
        let (reads, changes) = session.account(clock).readings();
        let enough = reads >= wanted && changes * 2 >= reads;
        let spent = session.elapsed_ns() - started;
        let late = spent >= slot && (reads >= fewest || spent >= LONGEST_SLOT_NS * length);
        if enough || late || reads >= most || rows >= most {
            break;
        }
        session.dithered(clock, Role::Dithered, row, pause);
        rows += 1;
    }
    session.note(&Observation::Turn(clock));
}

/// Time that the analysis takes for each reading, about, ns: 10 ms for 65,536 of them.
const ANALYSIS_NS: f64 = 150.0;
/// Readings that are made of a clock even in the shortest turn, if a turn is long enough for them.
const FEWEST: usize = 2048;

/// About how long a read takes: the shortest of three short rows. Of a slow clock one read tells it.
fn first_look(session: &mut Session, clock: usize) {
    for reads in [1, 4, 4, 4] {
        session.row(clock, Role::Probe, reads);
        if session.read_ns(clock) > SLOW_NS {
            break;
        }
    }
}
