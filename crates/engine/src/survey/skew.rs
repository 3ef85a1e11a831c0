//! Skew: the survey's short phase, and the command's over all pairs of CPUs. Method: docs/method/skew.md.

use std::time::Duration;

use clockscope_analysis::trace::{Compared, Description, Kind, Observation};

use super::choose::{best_counter, spread};
use super::compare::compare;
use super::phase::Phase;
use crate::session::{Session, chosen, ranges};

pub(super) const PHASE: Phase = Phase { until: 0.70, run: brief, settles: true };
pub(super) const ALL_CPUS: Phase = Phase { until: 1.0, run: whole, settles: false };

/// Share of a survey's time that skew takes, and its limit, ns.
const SHARE: f64 = 0.1;
const LONGEST_NS: f64 = 270e6;
/// Most CPUs, and rounds of them, in a survey; each CPU is compared with as many others as there are rounds.
const MOST_CPUS: usize = 16;
const MOST_ROUNDS: usize = 4;

/// Compares the counter and the kernel's clock between CPUs, and, where one of them disagrees, the other clocks that the
/// kernel makes of the same source.
fn brief(session: &mut Session, _: f64) {
    if session.stop() {
        return;
    }
    let allowed = session.reader.allowed.clone();
    let cpus = spread(&allowed, MOST_CPUS);
    if cpus.len() < 2 {
        let only = ranges(&allowed);
        let reason =
            if only.is_empty() { "the CPUs are not known".into() } else { format!("only CPU {only} may be used") };
        session.remark(&format!("skew between CPUs not measured: {reason}"));
        return;
    }
    if cpus.len() < allowed.len() {
        let (some, all) = (cpus.len(), allowed.len());
        session.remark(&format!("skew measured between {some} of {all} CPUs; `clockscope skew` compares all of them"));
    }
    let budget = (session.options.time_ns() * SHARE).min(LONGEST_NS);
    let first = first(session);
    if first.is_empty() {
        session.remark("skew between CPUs not measured: none of these clocks is fit for it");
    }
    let third = Duration::from_nanos((budget / 3.0) as u64);
    for clock in first {
        between(session, clock, &cpus, MOST_ROUNDS, third, (session.done(), 0.0));
    }
    if session.analysis.skews().iter().all(|skew| skew.agree != Some(false)) {
        return;
    }
    let others = others(session);
    let each = third / u32::try_from(others.len().max(1)).unwrap_or(u32::MAX);
    for clock in others {
        between(session, clock, &cpus, MOST_ROUNDS, each, (session.done(), 0.0));
    }
}

/// Compares the clocks that the run is about between all CPUs that were asked for.
fn whole(session: &mut Session, until_ns: f64) {
    // They were found fit when the run began.
    let cpus = chosen(session.options.cpus.as_deref(), &session.reader.allowed).unwrap_or_default();
    let clocks = session.surveyed();
    let left = Duration::from_nanos((until_ns - session.elapsed_ns()).max(0.0) as u64);
    let each = left / u32::try_from(clocks.len().max(1)).unwrap_or(u32::MAX);
    for (at, &clock) in clocks.iter().enumerate() {
        let share = 1.0 / clocks.len() as f64;
        between(session, clock, &cpus, usize::MAX, each, (at as f64 * share, share));
    }
}

/// The first clocks to be compared: the counter, and the kernel's clock past any library that interposes it.
fn first(session: &Session) -> Vec<usize> {
    let describe = |clock: &usize| session.description(*clock);
    let surveyed = session.surveyed();
    let fit = |clock: &usize| is_fit(describe(clock));
    let kernel = session.analysis.header().kernel.filter(|clock| surveyed.contains(clock));
    let kernel = kernel.filter(fit).or_else(|| surveyed.iter().copied().find(fit));
    best_counter(&surveyed, describe).into_iter().chain(kernel).collect()
}

/// One entry for each further clock that the kernel computes.
fn others(session: &Session) -> Vec<usize> {
    let mut bases: Vec<&str> =
        session.analysis.compared().map(|clock| session.description(clock).base.as_str()).collect();
    let mut others = Vec::new();
    for clock in session.surveyed() {
        let description = session.description(clock);
        if is_fit(description) && !bases.contains(&description.base.as_str()) {
            bases.push(&description.base);
            others.push(clock);
        }
    }
    others
}

/// Whether it is a clock that the kernel computes at each read, and no library stands in front of it.
fn is_fit(description: &Description) -> bool {
    description.is_computed() && description.kind != Kind::Device && description.interposed_by.is_none()
}

/// Compares one clock; `progress`: what is done before it, and its share.
fn between(session: &mut Session, clock: usize, cpus: &[u32], rounds: usize, time: Duration, progress: (f64, f64)) {
    if session.stop() {
        return;
    }
    let (cpus, lost, played) = {
        let (meter, mut go_on) = session.parted(clock, "skew");
        compare(meter, cpus, rounds, time, &mut |done| go_on(progress.0 + done * progress.1))
    };
    for one in played {
        session.note(&Observation::Exchange(one));
    }
    session.note(&Observation::Compared(Compared { clock, cpus, lost }));
}
