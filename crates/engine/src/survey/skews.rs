//! One clock between several CPUs: the rounds, and the pairs that need a second try.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::catalog::{Description, Unit};
use crate::machine::Topology;
use crate::measure::Meter;
use crate::measure::skew::{Crew, Span};
use clockscope_analysis::analyze::quantum::Quantum;
use clockscope_analysis::analyze::skew::rounds;
use clockscope_analysis::analyze::skew::{Played, Terms, skew};
use clockscope_analysis::record::{Interval, Kind, Skew};
use clockscope_analysis::trace::Exchange;

/// Shortest round: threads wake up within some 0.1 ms.
const SHORTEST: Duration = Duration::from_millis(1);
/// Shortest second try: some slices of the scheduler.
const SECOND_TRY: Duration = Duration::from_millis(40);

/// What is to be compared.
pub(super) struct Plan<'a> {
    pub(super) cpus: &'a [u32],
    /// Rounds at most; all pairs need as many as there are CPUs.
    pub(super) rounds: usize,
    /// For all rounds together, second tries apart, which take no longer.
    pub(super) time: Duration,
    pub(super) topology: &'a Topology,
}

/// What came of a plan.
pub(super) struct Outcome {
    cpus: Vec<u32>,
    lost: BTreeMap<u32, String>,
    played: Vec<Played>,
}

impl Outcome {
    /// What it means.
    pub(super) fn skew(&self, terms: &Terms) -> Skew {
        skew(terms, &self.cpus, &self.lost, &self.played)
    }
}

/// Compares the clock between the CPUs. `go_on` is told which share is done and says whether to go on.
pub(super) fn compare(meter: &dyn Meter, plan: &Plan, go_on: &mut dyn FnMut(f64) -> bool) -> Outcome {
    let mut crew = Crew::muster(plan.cpus, || meter.hopper());
    let cpus = crew.cpus();
    let mut schedule: Vec<Vec<(u32, u32)>> = rounds(cpus.len())
        .into_iter()
        .take(plan.rounds)
        .map(|round| round.into_iter().map(|(a, b)| (cpus[a], cpus[b])).collect())
        .collect();
    let mut found: BTreeMap<(u32, u32), Option<Exchange>> = BTreeMap::new();
    let mut stopped = false;
    let mut time = slice(plan.time, schedule.len(), SHORTEST);
    for second in [false, true] {
        let all = schedule.len().max(1) as f64;
        for (at, round) in schedule.iter().enumerate() {
            let done = if second { 1.0 } else { at as f64 / all };
            stopped |= !go_on(done);
            if stopped {
                break;
            }
            for (pair, trace) in round.iter().zip(crew.play(round, time, &mut || !go_on(done))) {
                add(found.entry(*pair).or_default(), trace);
            }
        }
        // Where others kept a CPU busy, a longer round may get through.
        let poor = found.iter().filter(|(_, trace)| trace.as_ref().is_some_and(is_poor));
        schedule = disjoint(poor.map(|(pair, _)| *pair));
        let most = (plan.time.as_nanos() / SECOND_TRY.as_nanos()).max(1) as usize;
        schedule.truncate(most);
        time = slice(plan.time, schedule.len(), SECOND_TRY);
    }
    let why = |(a, b): (u32, u32)| {
        let reason = crew.lost.get(&a).or(crew.lost.get(&b)).cloned();
        reason.unwrap_or_else(|| "the run was stopped before their turn".into())
    };
    let all = rounds(cpus.len()).into_iter().take(plan.rounds).flatten().map(|(a, b)| (cpus[a], cpus[b]));
    let played = all
        .map(|(cpu_a, cpu_b)| {
            let trace = found.remove(&(cpu_a, cpu_b)).flatten();
            let distance = plan.topology.distance(cpu_a, cpu_b);
            Played { cpu_a, cpu_b, distance, trace: trace.ok_or_else(|| why((cpu_a, cpu_b))) }
        })
        .collect();
    Outcome { cpus, lost: crew.lost, played }
}

fn add(total: &mut Option<Exchange>, trace: Option<Exchange>) {
    match (total.as_mut(), trace) {
        (Some(total), Some(trace)) => total.add(&trace),
        (None, trace) => *total = trace,
        (Some(_), None) => {}
    }
}

/// Whether the two hardly ran at the same time: not one whole block of messages went there and back.
fn is_poor(trace: &Exchange) -> bool {
    trace.failed == 0 && !trace.strayed && trace.ever.is_none()
}

/// One round's share of the time.
fn slice(time: Duration, rounds: usize, least: Duration) -> Span {
    let each = (time / u32::try_from(rounds.max(1)).unwrap_or(u32::MAX)).max(least);
    Span { exchange: each * 3 / 5, lock: each * 2 / 5 }
}

/// Rounds in which no CPU comes up twice.
fn disjoint(pairs: impl Iterator<Item = (u32, u32)>) -> Vec<Vec<(u32, u32)>> {
    struct Round {
        busy: BTreeSet<u32>,
        pairs: Vec<(u32, u32)>,
    }
    let mut rounds: Vec<Round> = Vec::new();
    for (a, b) in pairs {
        let free = rounds.iter_mut().find(|round| !round.busy.contains(&a) && !round.busy.contains(&b));
        if let Some(round) = free {
            round.busy.extend([a, b]);
            round.pairs.push((a, b));
        } else {
            rounds.push(Round { busy: [a, b].into(), pairs: vec![(a, b)] });
        }
    }
    rounds.into_iter().map(|round| round.pairs).collect()
}

/// What has to be known of a clock, `tick` being the counter's.
pub(super) fn terms(description: &Description, tick: Interval, quantum: Option<&Quantum>) -> Terms {
    let count_ns = match description.unit {
        Unit::Ns(ns) => Interval { value: ns, low: ns, high: ns },
        Unit::Ticks => tick,
    };
    let claimed = description.reported_ns.filter(|_| description.kind == Kind::Coarse);
    let quantum = match quantum {
        Some(Quantum::Found { value, half_width, .. }) => Some(value + half_width),
        Some(Quantum::NotCoarserThan(limit)) => Some(*limit),
        // It did not move while it was looked at: at least it is known to be that coarse where it says so.
        _ => claimed.map(|ns| ns / count_ns.value).or((count_ns.value > 100.0).then_some(1.0)),
    };
    Terms { clock: description.id.clone(), count_ns, quantum: quantum.map(|quantum| quantum.max(1.0)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_tries_are_disjoint_and_complete() {
        let rounds = disjoint([(0, 1), (0, 2), (2, 3), (1, 3)].into_iter());
        assert_eq!(rounds, [vec![(0, 1), (2, 3)], vec![(0, 2), (1, 3)]]);
    }

    #[test]
    fn a_round_has_its_share_and_a_least_length() {
        let span = slice(Duration::from_secs(1), 10, SHORTEST);
        assert_eq!(span.exchange + span.lock, Duration::from_millis(100));
        let span = slice(Duration::from_millis(1), 1000, SHORTEST);
        assert_eq!(span.exchange + span.lock, SHORTEST);
    }
}
