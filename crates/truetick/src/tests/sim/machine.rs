//! Turns, time and clocks.

use std::{
    cell::{Cell, RefCell},
    sync::{
        Arc, Condvar, Mutex, MutexGuard,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{Event, Plan, Run};
use crate::{
    hardware::Hardware,
    source::{Choice, Source, Why},
    word::Word,
};

/// The machine, and whose turn it is.
pub(super) struct Sim {
    world: Mutex<World>,
    turn: Condvar,
}

pub(super) struct World {
    turn: usize,
    alive: Vec<bool>,
    preempt: u32,
    sleep: u64,
    rng: u64,
    /// True time since the start, ns.
    time: u64,
    hz: f64,
    ticks: u64,
    kernel_base: u64,
    kernel_since: u64,
    kernel_rate: f64,
    failing: u32,
    source: Source,
    late: u64,
    lag: u64,
    readings: u64,
    /// The greatest value of all finished readings.
    pub(super) floor: u64,
    pub(super) run: Run,
}

impl World {
    /// Less than `below` (SplitMix64).
    pub(super) fn random(&mut self, below: u64) -> u64 {
        self.rng = self.rng.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.rng;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % below.max(1)
    }

    pub(super) fn pass(&mut self, ns: u64) {
        self.time += ns;
    }

    pub(super) fn since_start(&self) -> u64 {
        self.time
    }

    pub(super) fn kernel(&self) -> u64 {
        self.kernel_base + ((self.time - self.kernel_since) as f64 * self.kernel_rate) as u64
    }

    fn counter(&self) -> u64 {
        let behind = if self.turn == 0 { 0 } else { self.lag };
        self.ticks
            .wrapping_add((self.time as f64 * self.hz / 1e9) as u64)
            .wrapping_sub((behind as f64 * self.hz / 1e9) as u64)
    }

    /// How long until the counter shows `tick`, ns; 0 where that is past or a second away.
    pub(super) fn until(&self, tick: u64) -> u64 {
        let ns = (tick.wrapping_sub(self.counter()) as i64) as f64 * 1e9 / self.hz;
        if (0.0..1e9).contains(&ns) { ns as u64 } else { 0 }
    }

    fn rebase(&mut self) {
        self.kernel_base = self.kernel();
        self.kernel_since = self.time;
    }

    /// A reading begins: what the plan has for it happens.
    pub(super) fn happen(&mut self, events: &[(u64, Event)]) {
        for (at, event) in events {
            if *at != self.readings {
                continue;
            }
            match *event {
                Event::Slew { ppm } => {
                    self.rebase();
                    self.kernel_rate = 1.0 + ppm * 1e-6;
                    self.run.slewed = Some(self.time);
                }
                Event::Jump { s } => {
                    self.ticks = self.ticks.wrapping_add((s * self.hz) as i64 as u64);
                    self.run.jumped = true;
                    self.run.jumped_at = Some(self.time);
                }
                Event::Demote => self.run.demoted = Some(self.time),
                Event::SetBack { ns } => {
                    self.rebase();
                    self.kernel_base = self.kernel_base.saturating_sub(ns);
                    self.run.jumped = true;
                    self.run.jumped_at = Some(self.time);
                }
                Event::Suspend { ms } => {
                    self.rebase();
                    self.time += ms * 1_000_000;
                    self.kernel_since = self.time;
                    self.run.jumped = true;
                }
                Event::KernelFails { calls } => self.failing = calls,
                Event::Pass { ns } => self.time += ns,
            }
        }
        self.readings += 1;
    }
}

impl Sim {
    pub(super) fn new(plan: &Plan) -> Self {
        let world = World {
            turn: 0,
            alive: vec![true; plan.threads],
            preempt: plan.preempt,
            sleep: plan.sleep,
            rng: plan.seed,
            time: 0,
            hz: plan.hz,
            ticks: plan.ticks,
            kernel_base: plan.kernel,
            kernel_since: 0,
            kernel_rate: 1.0,
            failing: 0,
            source: plan.source,
            late: plan.late,
            lag: plan.lag,
            readings: 0,
            floor: 0,
            run: Run::default(),
        };
        Self { world: Mutex::new(world), turn: Condvar::new() }
    }

    pub(super) fn with<T>(&self, f: impl FnOnce(&mut World) -> T) -> T {
        f(&mut self.lock())
    }

    pub(super) fn finish(&self) -> Run {
        std::mem::take(&mut self.lock().run)
    }

    fn lock(&self) -> MutexGuard<'_, World> {
        self.world.lock().expect("no thread of the simulation panics")
    }

    fn wait(&self, mut world: MutexGuard<'_, World>, me: usize) {
        while world.turn != me {
            world = self.turn.wait(world).expect("no thread of the simulation panics");
        }
    }

    /// Perhaps another thread's turn now: for a moment, or for a minute.
    fn point(&self, me: usize) {
        let mut world = self.lock();
        let preempt = u64::from(world.preempt);
        if preempt == 0 || world.random(1024) >= preempt {
            return;
        }
        let asleep = match world.random(64) {
            0 => 60_000_000_000,
            1..8 => 100_000_000,
            _ => 50_000,
        };
        let asleep = {
            let longest = world.sleep;
            world.random(asleep.min(longest))
        };
        world.pass(asleep);
        self.hand_over(&mut world);
        self.wait(world, me);
    }

    fn hand_over(&self, world: &mut World) {
        let alive: Vec<usize> = (0..world.alive.len()).filter(|&i| world.alive[i]).collect();
        if !alive.is_empty() {
            world.turn = alive[world.random(alive.len() as u64) as usize];
            self.turn.notify_all();
        }
    }
}

thread_local! {
    static HERE: RefCell<Option<(Arc<Sim>, usize)>> = const { RefCell::new(None) };
}

/// While it lives, this thread takes part.
pub(super) struct Turn(Arc<Sim>, usize);

pub(super) fn enter(sim: &Arc<Sim>, me: usize) -> Turn {
    sim.wait(sim.lock(), me);
    HERE.set(Some((sim.clone(), me)));
    Turn(sim.clone(), me)
}

impl Drop for Turn {
    fn drop(&mut self) {
        HERE.set(None);
        let mut world = self.0.lock();
        world.alive[self.1] = false;
        self.0.hand_over(&mut world);
    }
}

fn point() {
    HERE.with_borrow(|here| {
        if let Some((sim, me)) = here {
            sim.point(*me);
        }
    });
}

/// A word before each access to which a thread may be put to sleep.
pub(super) struct SimWord(AtomicU64);

impl Word for SimWord {
    fn new(value: u64) -> Self {
        Self(AtomicU64::new(value))
    }
    fn load(&self, order: Ordering) -> u64 {
        point();
        self.0.load(order)
    }
    fn store(&self, value: u64, order: Ordering) {
        point();
        self.0.store(value, order);
    }
    fn swap_if(&self, old: u64, new: u64) -> bool {
        point();
        Word::swap_if(&self.0, old, new)
    }
    fn fence(order: Ordering) {
        std::sync::atomic::fence(order);
    }
}

/// The simulated counter and kernel, as one reading sees them. A read takes 5 to 40 ns; one of the kernel's clock
/// right after one of the counter, `late` ns more, so that lines run behind the kernel by half of that.
pub(super) struct Machine<'a>(pub(super) &'a Sim, pub(super) Cell<bool>);

impl Machine<'_> {
    fn read<T>(&self, f: impl FnOnce(&mut World) -> T) -> T {
        point();
        self.0.with(|w| {
            let before = w.random(20);
            w.pass(before);
            let value = f(w);
            let after = 5 + w.random(15);
            w.pass(after);
            value
        })
    }
}

impl Hardware for Machine<'_> {
    fn relaxed(&self) -> u64 {
        self.ordered()
    }
    fn ordered(&self) -> u64 {
        self.1.set(true);
        self.read(|w| w.counter())
    }
    fn system_ns(&self) -> Option<u64> {
        let late = self.1.replace(false);
        self.read(|w| {
            if w.failing > 0 {
                w.failing -= 1;
                return None;
            }
            let ns = w.kernel();
            w.pass(if late { w.late } else { 0 });
            Some(ns)
        })
    }
    fn still_used(&self) -> Option<bool> {
        Some(self.0.with(|w| w.run.demoted.is_none()))
    }
    fn choose(&self) -> Choice {
        Choice { source: self.0.with(|w| w.source), why: Why::Forced }
    }
}
