//! What a count of the witness is worth, how coarse the clocks are that others are measured by, and a first rate of each
//! clock. Method: docs/method/rate.md.

use clockscope_analysis::analyze::READS_OF_ONE_STEP;
use clockscope_analysis::trace::{Observation, Role};

use super::phase::Phase;
use crate::measure::MOST_READS;
use crate::session::Session;

pub(super) const PHASE: Phase = Phase { until: 0.02, run: calibrate, settles: true };
/// A second baseline at the end of a run that had no reads of the reference in between.
pub(super) const AGAIN: Phase = Phase { until: 1.0, run: again, settles: true };

/// Shortest and longest calibration, ns: enough for brackets of 50 ns to tell a rate to 50 ppm, and to 1 ppm.
const LENGTH_NS: (f64, f64) = (1e6, 50e6);
/// Rounds of it.
const ROUNDS: usize = 64;
/// Readings for the quantum of a clock that others are measured by, at least and at most; and the steps of the pause
/// before each, some ns each.
const TIMER_READS: (usize, usize) = (512, 8 * MOST_READS);
const TIMER_PAUSE: u32 = 24;
/// Steps that a reference known by its edges is waited for.
const EDGES: u64 = 40;
/// Longest wait for one of them, ns: twice a timer's tick at 100 Hz, the slowest.
const LONGEST_STEP_NS: f64 = 20e6;

fn calibrate(session: &mut Session, until_ns: f64) {
    let length_ns = until_ns.clamp(LENGTH_NS.0, LENGTH_NS.1);
    quanta_of_timers(session, length_ns);
    rounds(session, length_ns);
    session.note(&Observation::Settle);
    session.anchor_reference(READS_OF_ONE_STEP);
    await_edges(session, EDGES);
}

fn again(session: &mut Session, _: f64) {
    rounds(session, LENGTH_NS.1 / 5.0);
}

/// Reads the witness, the kernel's clock and the reference with random pauses.
pub(super) fn quanta_of_timers(session: &mut Session, length_ns: f64) {
    let header = session.analysis.header();
    let mut timers = vec![header.witness, header.reference];
    timers.extend(header.kernel);
    timers.sort_unstable();
    timers.dedup();
    for clock in timers {
        let begun = session.elapsed_ns();
        let mut reads = 0;
        while reads < TIMER_READS.1 && (reads < TIMER_READS.0 || session.elapsed_ns() - begun < length_ns / 8.0) {
            session.dithered(clock, Role::Timer, TIMER_READS.0, TIMER_PAUSE);
            reads += TIMER_READS.0;
        }
    }
}

/// Bracketed reads of the reference and of all clocks, evenly spread over the time.
fn rounds(session: &mut Session, length_ns: f64) {
    let round_ns = length_ns / ROUNDS as f64;
    let mut quick = session.surveyed();
    for _ in 0..ROUNDS {
        let started = session.elapsed_ns();
        session.anchor_reference(1);
        quick.retain(|clock| {
            session.anchor(*clock);
            // One that takes a good part of a round for a read waits for its turn.
            session.last_read_ns() < round_ns / 8.0
        });
        // Bounded, should the clock stand still that the time is taken from.
        for _ in 0..200_000 {
            if session.elapsed_ns() - started > round_ns {
                break;
            }
        }
    }
}

/// Waits until a reference that is known by its edges has moved this often.
pub(super) fn await_edges(session: &mut Session, wanted: u64) {
    let Some(before) = session.analysis.edges() else { return };
    let begun = session.elapsed_ns();
    let longest_ns = wanted as f64 * LONGEST_STEP_NS;
    while session.analysis.edges().is_some_and(|edges| edges < before + wanted)
        && session.elapsed_ns() - begun < longest_ns
    {
        session.anchor_reference(16);
    }
}
