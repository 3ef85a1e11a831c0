//! The shortest interval that a clock can time. Method: docs/method/span.md.

use std::borrow::Cow;
use std::collections::BTreeMap;

use clockscope_analysis::trace::{Chain, Empties, Observation, Timed};

use super::phase::{Phase, in_turn};
use crate::session::Session;

/// The survey's short form.
pub(super) const PHASE: Phase = Phase { until: 0.64, run: brief, settles: true };
pub(super) const CHAINS: Phase = Phase { until: 0.55, run: chains, settles: true };
pub(super) const EMPTY: Phase = Phase { until: 1.0, run: empty, settles: false };

/// Lengths of the chains, steps of about 2 ns: from nothing to some 10^5 cycles.
const STEPS: [u32; 14] = [0, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000];
/// The short form's: to some 4 µs.
const BRIEF: [u32; 11] = [0, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000];
/// A clock whose read takes longer, ns, has no time in it.
const LONGEST_READ_NS: f64 = 2000.0;
/// Lots of one clock before it is the next one's turn there.
const ROUND: usize = 16;
/// Time for one clock before it is the next one's turn, ns: all see the same of what comes and goes.
const TURN_NS: f64 = 20e6;
/// Lots of pairs of which one observation is made.
const LOTS: usize = 200;

/// Short chains of all clocks that are read fast enough, turn by turn.
fn brief(session: &mut Session, until_ns: f64) {
    let mut clocks = session.surveyed();
    clocks.retain(|clock| session.read_ns(*clock) <= LONGEST_READ_NS);
    while session.elapsed_ns() < until_ns {
        for &clock in &clocks {
            if session.stop() {
                return;
            }
            for _ in 0..ROUND {
                lot(session, clock, &BRIEF);
            }
            session.anchor(clock);
        }
        session.anchor_reference(1);
        session.look();
        session.progress("timing chains");
    }
}

/// Chains of all clocks, turn by turn.
fn chains(session: &mut Session, until_ns: f64) {
    let clocks = session.surveyed();
    while session.elapsed_ns() < until_ns {
        for &clock in &clocks {
            if session.stop() {
                return;
            }
            session.progress("timing chains");
            let started = session.elapsed_ns();
            while session.elapsed_ns() - started < TURN_NS && !session.stop() {
                lot(session, clock, &STEPS);
            }
            session.anchor(clock);
            session.anchor_reference(1);
        }
        session.look();
    }
}

fn lot(session: &mut Session, clock: usize, steps: &[u32]) {
    // Half as long to one and a half times: a clock's steps are not to fall in with a length.
    let chain = |steps: &u32| Chain { steps: steps - steps / 2 + session.random(steps + 1), ..Chain::default() };
    let mut timed = Timed { clock, chains: steps.iter().map(chain).collect(), failed: 0 };
    session.timed(&mut timed);
    session.note(&Observation::Timed(Cow::Owned(timed)));
}

/// Start and stop with nothing in between: half of them on one CPU, half wherever the scheduler puts the reader.
fn empty(session: &mut Session, until_ns: f64) {
    in_turn(session, until_ns, "timing nothing", |session, clock, slot| {
        let half = session.options.reads.map(|reads| reads.div_ceil(2));
        pairs(session, clock, true, slot / 2.0, half);
        if let Some(cpu) = session.reader.unpin() {
            session.causes.settle();
            pairs(session, clock, false, slot / 2.0, half);
            if let Err(error) = session.reader.pin(cpu) {
                session.remark(&format!("not pinned any more: {error}"));
            }
            session.causes.settle();
        }
    });
}

/// Pairs of one clock, for a time or until there are `wanted`.
fn pairs(session: &mut Session, clock: usize, pinned: bool, slot: f64, wanted: Option<u64>) {
    let (started, mut done) = (session.elapsed_ns(), 0);
    let mut differences = Vec::new();
    loop {
        let mut counts: BTreeMap<i64, u64> = BTreeMap::new();
        let (mut longest, mut cause, mut failed) = (i64::MIN, None, 0);
        let mut over = false;
        for _ in 0..LOTS {
            failed += session.empties(clock, &mut differences);
            done += differences.len() as u64;
            for difference in &differences {
                *counts.entry(*difference).or_default() += 1;
            }
            let most = differences.iter().copied().max().unwrap_or(i64::MIN);
            if session.stands_out(clock, most) {
                let found = session.causes.look(false);
                if most > longest {
                    (longest, cause) = (most, Some(found.to_owned()));
                }
            }
            over = wanted.is_some_and(|wanted| done >= wanted)
                || wanted.is_none() && session.elapsed_ns() - started >= slot
                || session.stop();
            if over {
                break;
            }
        }
        let counts = counts.into_iter().collect();
        session.note(&Observation::Empties(Cow::Owned(Empties { clock, pinned, counts, cause, failed })));
        session.progress("timing nothing");
        if over {
            return;
        }
    }
}
