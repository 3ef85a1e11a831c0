//! One thread a CPU, and the rounds that they play.
//!
//! Nothing here reads a clock: the clocks may be the ones at fault. Time is kept by counting sleeps, and no wait for
//! a thread is longer than a number of them: a CPU that is taken away, or kept busy by something of higher priority,
//! costs its own pairs and nothing else.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, sleep};
use std::time::Duration;

use super::loops::{Game, Side, Turn, Worker};
use super::page::Page;
use crate::measure::policy::below_the_starter;
use crate::measure::{Pinned, Raised};
use clockscope_analysis::trace::Exchange;

/// A thread needs little; a machine may have hundreds of CPUs.
const STACK: usize = 128 << 10;
/// How often is looked for an answer.
const LOOK: Duration = Duration::from_micros(200);
/// Looks before a thread that does not answer is given up: two seconds and more.
const LOOKS: u32 = 10_000;
/// Longest sleep before somebody is asked whether to stop.
const NAP: Duration = Duration::from_millis(20);

/// How long the two games of one round last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The exchange of readings.
    pub exchange: Duration,
    /// The readings under one lock.
    pub lock: Duration,
    /// On whose CPU's NUMA node the lines are to lie: the second one's of each pair, or else the first one's.
    pub at_b: bool,
}

/// Why a thread is given up.
const SILENT: &str = "a thread on this CPU did not come to run within two seconds";

/// Threads that wait for rounds to play, one pinned to each CPU.
pub struct Workers {
    threads: Vec<(u32, Sender<Turn>)>,
    results: Receiver<(u32, u64, Exchange)>,
    /// Of the last round.
    number: u64,
    /// CPUs that could not be used, with the reason.
    pub lost: BTreeMap<u32, String>,
}

impl Workers {
    /// A thread on each of `cpus`, with a worker of its own. CPUs that refuse are in `lost`.
    pub fn start(cpus: &[u32], mut worker: impl FnMut() -> Box<dyn Worker>) -> Self {
        let (report, reports) = channel();
        let (result, results) = channel();
        let mut lost = BTreeMap::new();
        let mut threads = Vec::new();
        for &cpu in cpus {
            let (turns, todo) = channel();
            let (report, result, worker) = (report.clone(), result.clone(), worker());
            let thread = Builder::new().name(format!("skew-{cpu}")).stack_size(STACK).spawn(move || {
                below_the_starter();
                let pinned = Pinned::to(cpu);
                let refused = pinned.as_ref().err().map(|error| format!("no thread could be pinned to it: {error}"));
                // The receiver is gone where nobody waits for this thread any more.
                if report.send((cpu, refused)).is_ok() && pinned.is_ok() {
                    work(worker.as_ref(), &todo, &result);
                }
            });
            match thread {
                Ok(_) => threads.push((cpu, turns)),
                Err(error) => drop(lost.insert(cpu, format!("no thread could be started for it: {error}"))),
            }
        }
        let mut silent: Vec<u32> = threads.iter().map(|(cpu, _)| *cpu).collect();
        await_all(|| {
            while let Ok((cpu, refused)) = reports.try_recv() {
                silent.retain(|waiting| *waiting != cpu);
                lost.extend(refused.map(|reason| (cpu, reason)));
            }
            silent.is_empty()
        });
        lost.extend(silent.into_iter().map(|cpu| (cpu, SILENT.to_owned())));
        threads.retain(|(cpu, _)| !lost.contains_key(cpu));
        Self { threads, results, number: 0, lost }
    }

    /// The CPUs that are ready, in the order given.
    pub fn cpus(&self) -> Vec<u32> {
        self.threads.iter().map(|(cpu, _)| *cpu).collect()
    }

    /// Plays one round: each pair of CPUs (A's first) exchanges readings for `span.exchange` and reads under a lock for
    /// `span.lock`, all pairs at once. `stop` is asked every 20 ms and may end the round early. A trace a pair, in
    /// order; `None` where a thread of the pair was lost, now or before.
    pub fn play(&mut self, pairs: &[(u32, u32)], span: Span, stop: &mut dyn FnMut() -> bool) -> Vec<Option<Exchange>> {
        let home = if span.at_b { Side::B } else { Side::A };
        let exchange = self.game(pairs, (Game::Exchange, home), span.exchange, stop);
        let lock = self.game(pairs, (Game::Lock, home), span.lock, stop);
        exchange.into_iter().zip(lock).map(|(exchange, lock)| sum(exchange, lock)).collect()
    }

    fn game(
        &mut self,
        pairs: &[(u32, u32)],
        (game, home): (Game, Side),
        time: Duration,
        stop: &mut dyn FnMut() -> bool,
    ) -> Vec<Option<Exchange>> {
        let over = Arc::new(AtomicBool::new(false));
        // Should this thread panic, the others must not wait for ever.
        let _guard = Raised(Arc::clone(&over));
        self.number += 1;
        let mut busy: Vec<u32> = Vec::new();
        for (a, b) in pairs {
            if self.lost.contains_key(a) || self.lost.contains_key(b) {
                continue;
            }
            // A line of its own: what a late thread of an earlier round still writes reaches nobody.
            let line = match Page::fresh() {
                Ok(page) => Arc::new(page),
                Err(error) => {
                    self.lost.insert(*a, format!("no page of memory for messages to CPU {b}: {error}"));
                    continue;
                }
            };
            for (cpu, side) in [(a, Side::A), (b, Side::B)] {
                let (line, stop) = (Arc::clone(&line), Arc::clone(&over));
                let turn = Turn { number: self.number, line, home, side, game, cpu: *cpu, stop };
                let thread = self.threads.iter().find(|(ready, _)| ready == cpu);
                if thread.is_some_and(|(_, turns)| turns.send(turn).is_ok()) {
                    busy.push(*cpu);
                }
            }
        }
        nap(time, stop);
        over.store(true, Ordering::Relaxed);

        let mut found: BTreeMap<u32, Exchange> = BTreeMap::new();
        await_all(|| {
            while let Ok((cpu, number, trace)) = self.results.try_recv() {
                if number == self.number {
                    found.insert(cpu, trace);
                }
            }
            found.len() >= busy.len()
        });
        self.lost.extend(busy.iter().filter(|cpu| !found.contains_key(cpu)).map(|cpu| (*cpu, SILENT.to_owned())));
        pairs.iter().map(|(a, b)| sum(found.remove(a), found.remove(b))).collect()
    }
}

/// Both in one, if both are there.
fn sum(one: Option<Exchange>, other: Option<Exchange>) -> Option<Exchange> {
    let mut trace = one?;
    trace.add(&other?);
    Some(trace)
}

/// A thread's work: the turns that come, until there is nobody left to send any.
fn work(worker: &dyn Worker, todo: &Receiver<Turn>, results: &Sender<(u32, u64, Exchange)>) {
    while let Ok(turn) = todo.recv() {
        if results.send((turn.cpu, turn.number, worker.play(&turn))).is_err() {
            return;
        }
    }
}

/// Sleeps for `time`, or until `stop`.
fn nap(time: Duration, stop: &mut dyn FnMut() -> bool) {
    let mut left = time;
    while !left.is_zero() && !stop() {
        let piece = left.min(NAP);
        sleep(piece);
        left -= piece;
    }
}

/// Looks again and again until `done`, but not for ever.
fn await_all(mut done: impl FnMut() -> bool) {
    for _ in 0..LOOKS {
        if done() {
            return;
        }
        sleep(LOOK);
    }
}
