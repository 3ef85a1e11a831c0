//! Turns, time and clocks.

use std::{
    cell::RefCell,
    sync::{
        Arc, Condvar, Mutex, MutexGuard,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{Event, Plan, Run, wall::Wall};
use crate::{source::Source, word::Word};
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
    pub(super) failing: u32,
    /// Questions about the clocksource that get no answer.
    pub(super) unanswered: u32,
    pub(super) source: Source,
    pub(super) late: u64,
    lag: u64,
    readings: u64,
    /// The greatest value of all finished readings.
    pub(super) floor: u64,
    pub(super) wall: Wall,
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

    pub(super) fn counter(&self) -> u64 {
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

    /// Before a reading: mostly nearly nothing, now and then a while, or right up to a line's end, for steps back to show.
    pub(super) fn let_pass(&mut self, end: Option<u64>, most: u64) {
        let gap = match (self.random(8), end) {
            (0, _) => self.random(most),
            (1, Some(end)) => self.until(end).saturating_sub(self.random(60)),
            _ => self.random(20),
        };
        self.pass(gap);
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
                    // From one such rate to another is within 500 ppm.
                    self.run.hurried |= ppm.abs() > 250.0;
                }
                Event::Jump { s } => {
                    self.ticks = self.ticks.wrapping_add((s * self.hz) as i64 as u64);
                    self.run.jumped = true;
                    self.run.jumped_at = Some(self.time);
                }
                Event::Demote => self.run.demoted = Some(self.time),
                Event::Unanswered { questions } => self.unanswered = questions,
                Event::SetBack { ns } => {
                    self.rebase();
                    let back = ns.min(self.kernel_base);
                    self.kernel_base -= back;
                    // A time namespace moves the monotonic clock alone.
                    self.wall.offset += back as i64;
                    self.run.jumped = true;
                    self.run.jumped_at = Some(self.time);
                }
                Event::Suspend { ms } => {
                    self.rebase();
                    self.time += ms * 1_000_000;
                    self.kernel_since = self.time;
                    self.wall.set(ms as i64 * 1_000_000);
                    self.run.jumped = true;
                }
                Event::SetWall { ns } => {
                    self.wall.set(ns);
                    self.run.wall_set_at = Some(self.time);
                }
                Event::Sync { spare } => {
                    let (time, kernel) = (self.time, self.kernel());
                    self.wall.sync(time, kernel, spare);
                }
                Event::SetWhenAsked { ns, spare } => self.wall.when_asked = Some((ns, spare)),
                Event::Disrupt => self.wall.marker += 1,
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
            unanswered: 0,
            source: plan.source,
            late: plan.late,
            lag: plan.lag,
            readings: 0,
            floor: 0,
            wall: Wall::new(plan.wall, plan.kernel),
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

pub(super) fn point() {
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
