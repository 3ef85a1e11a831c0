//! The two loops over the shared line, generic over the clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::line::{difference, ordered};
use super::page::Page;
use crate::catalog::Clock;
use clockscope_analysis::trace::{Exchange, Visit};

/// Messages, or readings under the lock, between two looks at the CPU and at `stop`: some 20 µs.
const BLOCK: u32 = 128;
/// Longest pause after a reading under the lock, in tries of a dependent chain: so that the other gets its turn.
const PAUSE: u32 = 24;

/// Which of the two a thread is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    A,
    B,
}

/// What the two do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Game {
    /// A sends its reading, B answers with its own, and so on.
    Exchange,
    /// Both read as fast as they can under one lock, as the kernel does when it starts a CPU (check_tsc_warp).
    Lock,
}

/// One thread's part in one round.
pub struct Turn {
    /// Of the round.
    pub(super) number: u64,
    pub(super) line: Arc<Page>,
    /// On whose CPU's NUMA node the line is to lie.
    pub(super) home: Side,
    pub(super) side: Side,
    pub(super) game: Game,
    pub(super) cpu: u32,
    pub(super) stop: Arc<AtomicBool>,
}

/// A clock that a thread can read beside another thread.
pub trait Worker: Send {
    /// Plays until told to stop; every wait ends when that comes.
    fn play(&self, turn: &Turn) -> Exchange;
}

impl<C: Clock> Worker for C {
    fn play(&self, turn: &Turn) -> Exchange {
        let mut trace = Exchange::default();
        if !turn.line.settle(turn.side == turn.home, &turn.stop) {
            return trace;
        }
        if turn.side == turn.home {
            trace.nodes.extend(turn.line.node());
        }
        let ended = match (turn.game, turn.side) {
            (Game::Exchange, Side::A) => asks(self, turn, &mut trace),
            (Game::Exchange, Side::B) => answers(self, turn),
            (Game::Lock, _) => locks(self, turn, &mut trace),
        };
        match ended {
            Ok(()) => {}
            Err(Ended::Failed) => trace.failed += 1,
            Err(Ended::Strayed) => trace.strayed = true,
        }
        trace
    }
}

/// Why a thread's part ended before it was told to stop: a read failed, or it is not on its CPU any more.
enum Ended {
    Failed,
    Strayed,
}

/// A's part of the exchange: it alone writes down, for B's readings come with the answers.
fn asks<C: Clock>(clock: &C, turn: &Turn, trace: &mut Exchange) -> Result<(), Ended> {
    let mut visit = Visit::default();
    let mut sent = ordered(clock).ok_or(Ended::Failed)?;
    turn.line.send(true, sent);
    while !turn.stop.load(Ordering::Relaxed) {
        // What a block holds is kept once the thread is seen to be still on its CPU.
        let mut part = Exchange::default();
        let mut tightest = Visit::default();
        for _ in 0..BLOCK {
            let Some(theirs) = turn.line.wait(false, &turn.stop) else { break };
            let received = ordered(clock).ok_or(Ended::Failed)?;
            // The next message at once: what is reckoned before it is sent makes its way longer.
            turn.line.send(true, received);
            let there = difference(theirs, sent);
            let back = difference(received, theirs);
            tightest.to_b(sent, there);
            tightest.to_a(received, back);
            part.compare(there);
            part.compare(back);
            part.messages += 2;
            let trip = received.wrapping_sub(sent) as i64;
            // A clock that goes back on one CPU tells nothing of the way.
            if let Ok(trip) = u64::try_from(trip) {
                part.round_trip = Some(part.round_trip.map_or(trip, |least| least.min(trip)));
            }
            sent = received;
        }
        still_on(turn.cpu)?;
        if part.messages == u64::from(2 * BLOCK) {
            part.block(tightest.bounds());
        } else {
            part.bounds = tightest.bounds();
        }
        visit.narrow(tightest);
        trace.add(&part);
    }
    if visit != Visit::default() {
        trace.visits.push(visit);
    }
    Ok(())
}

/// B's part of the exchange. It writes down nothing but that it strayed: its readings are A's to judge.
fn answers<C: Clock>(clock: &C, turn: &Turn) -> Result<(), Ended> {
    loop {
        for _ in 0..BLOCK {
            if turn.line.wait(true, &turn.stop).is_none() {
                return still_on(turn.cpu);
            }
            turn.line.send(false, ordered(clock).ok_or(Ended::Failed)?);
        }
        still_on(turn.cpu)?;
    }
}

/// Either one's part under the lock: each judges its own readings by the ones before them.
fn locks<C: Clock>(clock: &C, turn: &Turn, trace: &mut Exchange) -> Result<(), Ended> {
    let (me, other) = if turn.side == Side::A { (1, 2) } else { (2, 1) };
    let mut random = u64::from(turn.cpu);
    while !turn.stop.load(Ordering::Relaxed) {
        let mut part = Exchange::default();
        for _ in 0..BLOCK {
            if !turn.line.take(&turn.stop) {
                break;
            }
            let seen = ordered(clock).map(|reading| (reading, turn.line.swap(me, reading)));
            turn.line.give();
            let (reading, (by, before)) = seen.ok_or(Ended::Failed)?;
            if by != 0 {
                let counts = reading.wrapping_sub(before) as i64;
                part.compare(counts);
                if by == other {
                    part.messages += 1;
                    if turn.side == Side::A { part.bounds.to_a(counts) } else { part.bounds.to_b(counts) }
                }
            }
            crate::measure::pause(&mut random, PAUSE);
        }
        still_on(turn.cpu)?;
        trace.add(&part);
    }
    Ok(())
}

/// Whether the calling thread runs on `cpu`: a CPU that is taken away leaves its threads to others. Where the system
/// does not tell, it is believed.
fn still_on(cpu: u32) -> Result<(), Ended> {
    // SAFETY: sched_getcpu takes nothing and returns a number.
    let now = unsafe { libc::sched_getcpu() };
    if u32::try_from(now).map_or(true, |now| now == cpu) { Ok(()) } else { Err(Ended::Strayed) }
}
