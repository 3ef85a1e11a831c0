//! Timers: all ways to sleep in turn, at each length. Method: docs/method/timers.md.

use std::borrow::Cow;

use clockscope_analysis::trace::{Observation, SleepFacts, Sleeps};

use super::phase::Phase;
use crate::measure::sleeps::{Sleeper, all, resolution, scheduling, slack};
use crate::session::Session;

pub(super) const PHASE: Phase = Phase { until: 1.0, run: every, settles: false };

/// A longer one takes part in one round of so many as it is times as long, so that it does not take all of the time.
const OFTEN_NS: u64 = 5_000_000;

fn every(session: &mut Session, until_ns: f64) {
    let Some(clock) = session.reader.kernel else {
        session.remark("nothing slept: CLOCK_MONOTONIC, by which sleeps are asked for, can't be read");
        return;
    };
    let mut ways = all();
    let mut lengths: Vec<u64> =
        session.options.lengths.iter().map(|length| u64::try_from(length.as_nanos()).unwrap_or(u64::MAX)).collect();
    lengths.sort_unstable();
    lengths.dedup();
    session.note(&Observation::SleepFacts(Cow::Owned(facts(&ways, &lengths))));
    // A length of 0 stands for the calls that take none.
    lengths.insert(0, 0);
    let now = || clock.stamp().count;
    for round in 0_u64.. {
        for &asked_ns in &lengths {
            if !round.is_multiple_of(asked_ns.div_ceil(OFTEN_NS).max(1)) {
                continue;
            }
            let mut turn = Sleeps { asked_ns, ..Sleeps::default() };
            let mut is_over = false;
            for (at, sleeper) in ways.iter_mut().enumerate() {
                if sleeper.way.unavailable.is_some() || sleeper.way.unit_ns.is_some() != (asked_ns > 0) {
                    continue;
                }
                is_over = session.stop() || session.elapsed_ns() >= until_ns;
                if is_over {
                    break;
                }
                match sleeper.timed(asked_ns, now) {
                    Some(Ok(took_ns)) => turn.took.push((at, took_ns)),
                    Some(Err(_)) => turn.failed += 1,
                    None => {}
                }
            }
            session.note(&Observation::Sleeps(Cow::Owned(turn)));
            session.progress("timers");
            if is_over {
                return;
            }
        }
    }
}

fn facts(ways: &[Sleeper], lengths: &[u64]) -> SleepFacts {
    let (policy, nice) = scheduling();
    SleepFacts {
        ways: ways.iter().map(|sleeper| sleeper.way.clone()).collect(),
        slack_ns: slack().ok(),
        policy,
        nice,
        resolution_ns: resolution(libc::CLOCK_MONOTONIC),
        tick_ns: resolution(libc::CLOCK_MONOTONIC_COARSE),
        lengths_ns: lengths.to_vec(),
    }
}
