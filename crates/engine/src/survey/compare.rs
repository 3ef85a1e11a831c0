//! One clock between several CPUs: the rounds, and the pairs that need a second try. Method: docs/method/skew.md.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use clockscope_analysis::analyze::skew::rounds;
use clockscope_analysis::trace::{Exchange, Played};

use crate::machine::{Root, Topology};
use crate::measure::skew::{Span, Workers};
use crate::measure::{Meter, Witness};

/// Shortest round: threads wake up within some 0.1 ms.
const SHORTEST: Duration = Duration::from_millis(1);
/// Shortest round where there is time for all rounds again and again: an offset that moves shows between them.
const AGAIN: Duration = Duration::from_millis(10);
/// How often two CPUs meet at most, and how many meetings are kept in all: some 80 bytes each.
const MOST_VISITS: usize = 256;
const MOST_KEPT: usize = 200_000;
/// Shortest second try: some slices of the scheduler.
const SECOND_TRY: Duration = Duration::from_millis(40);

/// What came of it: the CPUs that took part, those that could not, and what was played.
pub(super) type Outcome = (Vec<u32>, BTreeMap<u32, String>, Vec<Played>);

/// Compares the clock between the CPUs, in so many rounds at most: all pairs need as many as there are CPUs. Where `time`
/// allows, they are played again and again until it is over. It is for all rounds together, second tries apart, which
/// take no longer. `go_on` is told which share is done and says whether to go on.
pub(super) fn compare(
    meter: &dyn Meter,
    cpus: &[u32],
    most_rounds: usize,
    time: Duration,
    go_on: &mut dyn FnMut(f64) -> bool,
) -> Outcome {
    let topology = Topology::read(&Root::default(), cpus);
    let mut workers = Workers::start(cpus, || meter.worker());
    let cpus = workers.cpus();
    let in_order: Vec<Vec<(u32, u32)>> = rounds(cpus.len())
        .into_iter()
        .take(most_rounds)
        .map(|round| round.into_iter().map(|(a, b)| (cpus[a], cpus[b])).collect())
        .collect();
    let laps = laps(time, in_order.len(), in_order.iter().map(Vec::len).sum());
    let mut schedule: Vec<_> = std::iter::repeat_n(&in_order, laps).flatten().cloned().collect();
    let mut found: BTreeMap<(u32, u32), Exchange> = BTreeMap::new();
    let mut stopped = false;
    let mut span = slice(time, schedule.len(), SHORTEST);
    // Not std's clock, which panics where clock_gettime is forbidden.
    let clock = Witness::kernel().map(|kernel| (kernel, kernel.stamp()));
    let is_over = || clock.is_none_or(|(kernel, start)| kernel.stamp().since(start) as f64 >= time.as_nanos() as f64);
    for second in [false, true] {
        let all = schedule.len().max(1) as f64;
        for (at, round) in schedule.iter().enumerate() {
            let done = if second { 1.0 } else { at as f64 / all };
            stopped |= !go_on(done);
            // Threads that wait for a CPU make rounds longer than they were to be. Every pair has its turn nevertheless; only
            // what comes after that is bound by a clock, which may be one of those at fault.
            if stopped || (!second && at >= in_order.len() && is_over()) {
                break;
            }
            // By turns from lap to lap: the way may be shorter to the one or the other.
            let span = Span { at_b: at / in_order.len() % 2 == 1, ..span };
            for (pair, exchange) in round.iter().zip(workers.play(round, span, &mut || !go_on(done))) {
                if let Some(exchange) = exchange {
                    found.entry(*pair).or_default().add(&exchange);
                }
            }
        }
        // Where others kept a CPU busy, a longer round may get through.
        let poor = found.iter().filter(|(_, exchange)| is_poor(exchange));
        schedule = disjoint(poor.map(|(pair, _)| *pair));
        let most = (time.as_nanos() / SECOND_TRY.as_nanos()).max(1) as usize;
        schedule.truncate(most);
        span = slice(time, schedule.len(), SECOND_TRY);
    }
    let why = |(a, b): (u32, u32)| {
        let reason = workers.lost.get(&a).or(workers.lost.get(&b)).cloned();
        reason.unwrap_or_else(|| "the run was stopped before their turn".into())
    };
    let played = in_order.into_iter().flatten().map(|(cpu_a, cpu_b)| {
        let distance = topology.distance(cpu_a, cpu_b);
        let found = found.remove(&(cpu_a, cpu_b)).ok_or_else(|| why((cpu_a, cpu_b)));
        Played { cpu_a, cpu_b, distance, found }
    });
    let played = played.collect();
    (cpus, workers.lost, played)
}

/// Whether the two hardly ran at the same time: not one whole block of messages went there and back.
fn is_poor(exchange: &Exchange) -> bool {
    exchange.failed == 0 && !exchange.strayed && exchange.ever.is_none()
}

/// One round's share of the time.
fn slice(time: Duration, rounds: usize, least: Duration) -> Span {
    let each = (time / u32::try_from(rounds.max(1)).unwrap_or(u32::MAX)).max(least);
    Span { exchange: each * 3 / 5, lock: each * 2 / 5, at_b: false }
}

/// How often all rounds are played.
fn laps(time: Duration, rounds: usize, pairs: usize) -> usize {
    let fit = time.as_nanos() / (AGAIN.as_nanos() * rounds.max(1) as u128);
    (fit as usize).min(MOST_VISITS).min(MOST_KEPT / pairs.max(1)).max(1)
}

/// Rounds in which no CPU comes up twice.
fn disjoint(pairs: impl Iterator<Item = (u32, u32)>) -> Vec<Vec<(u32, u32)>> {
    let mut busy: Vec<BTreeSet<u32>> = Vec::new();
    let mut rounds: Vec<Vec<(u32, u32)>> = Vec::new();
    for (a, b) in pairs {
        let free = busy.iter().position(|busy| !busy.contains(&a) && !busy.contains(&b));
        let at = free.unwrap_or(rounds.len());
        if at == rounds.len() {
            busy.push(BTreeSet::new());
            rounds.push(Vec::new());
        }
        busy[at].extend([a, b]);
        rounds[at].push((a, b));
    }
    rounds
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
    fn there_are_as_many_laps_as_fit_in_time_and_memory() {
        let second = Duration::from_secs(1);
        assert_eq!(laps(second / 20, 1, 1), 5);
        assert_eq!(laps(second, 1, 1), 100);
        assert_eq!(laps(600 * second, 1, 1), MOST_VISITS);
        assert_eq!(laps(second / 1000, 15, 120), 1);
        assert_eq!(laps(600 * second, 255, 32_640), 6);
    }

    #[test]
    fn a_round_has_its_share_and_a_least_length() {
        let span = slice(Duration::from_secs(1), 10, SHORTEST);
        assert_eq!(span.exchange + span.lock, Duration::from_millis(100));
        let span = slice(Duration::from_millis(1), 1000, SHORTEST);
        assert_eq!(span.exchange + span.lock, SHORTEST);
    }
}
