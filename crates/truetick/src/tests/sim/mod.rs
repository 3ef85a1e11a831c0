//! The simulated machine: one thread runs at a time, and whose turn it is, and what time it is, is the plan's.

mod hardware;
mod machine;
mod read_wall;
mod wall;

use std::sync::Arc;

use hardware::Machine;
use machine::{Sim, SimWord, enter};
pub(crate) use read_wall::WallSeen;

use crate::{
    Source,
    chain::{Basis, Chain},
};
pub(crate) use wall::WallPlan;

/// What happens to the machine.
#[derive(Debug, Clone)]
pub(crate) enum Event {
    /// From now on the kernel's clock runs this much fast.
    Slew { ppm: f64 },
    /// The counter jumps by so many seconds.
    Jump { s: f64 },
    /// The kernel's clock is set back.
    SetBack { ns: u64 },
    /// The kernel ceases to make its clock of the counter.
    Demote,
    /// The next so many questions whether it does are not answered.
    Unanswered { questions: u32 },
    /// The counter goes on while the kernel's clock stands still.
    Suspend { ms: u64 },
    /// The next so many reads of the kernel's clock fail.
    KernelFails { calls: u32 },
    /// Nobody reads for a while.
    Pass { ns: u64 },
    /// The wall clock is set by this; nothing synchronizes it then.
    SetWall { ns: i64 },
    /// A daemon tells the kernel how far the wall clock is off, and so much more.
    Sync { spare: u64 },
    /// While its accuracy is asked for next, the wall clock is set, and told to be right within this.
    SetWhenAsked { ns: i64, spare: u64 },
    /// The hypervisor says that the counter was disrupted.
    Disrupt,
}

/// A machine, what happens to it, and who reads.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// Ticks a second.
    pub(crate) hz: f64,
    /// The counter at the start.
    pub(crate) ticks: u64,
    /// The kernel's clock at the start, ns.
    pub(crate) kernel: u64,
    /// What happens before which reading (of all threads together).
    pub(crate) events: Vec<(u64, Event)>,
    /// What the clock is to be made of.
    pub(crate) source: Source,
    /// How many threads read.
    pub(crate) threads: usize,
    /// Of everything random.
    pub(crate) seed: u64,
    /// Of 1024 accesses, before how many a thread is put to sleep.
    pub(crate) preempt: u32,
    /// The longest that it is put to sleep, ns.
    pub(crate) sleep: u64,
    /// Readings a thread.
    pub(crate) reads: u64,
    /// How much later the kernel's clock is back after a read that follows one of the counter, ns.
    pub(crate) late: u64,
    /// By how much the counter of every thread's CPU but the first one's is behind, ns.
    pub(crate) lag: u64,
    /// The longest time between two readings of a thread, ns.
    pub(crate) max_gap: u64,
    /// The wall clock.
    pub(crate) wall: WallPlan,
    /// Of 8 readings, how many are of the wall clock.
    pub(crate) wall_reads: u64,
}

/// What was seen.
#[derive(Debug, Default)]
pub(crate) struct Run {
    /// A reading that was less than one finished before it began.
    pub(crate) back: Option<String>,
    /// A reading with the kernel's clock outside of its uncertainty.
    pub(crate) outside: Option<String>,
    /// A reading further from the kernel's clock than it may be while that runs steadily, after which nothing told so.
    pub(crate) untold: Option<String>,
    /// Time since the start and value of each reading, ns.
    pub(crate) values: Vec<(u64, u64)>,
    /// Time since the start and error of each reading, ns: 0 where the kernel's clock passed the value while it
    /// was read.
    pub(crate) errors: Vec<(u64, i64)>,
    /// Whether a clock jumped.
    pub(crate) jumped: bool,
    /// When the counter jumped last.
    pub(crate) jumped_at: Option<u64>,
    /// When the kernel left the counter.
    pub(crate) demoted: Option<u64>,
    /// When the last reading by a line was made.
    pub(crate) last_by_line: u64,
    /// When the kernel's rate changed last.
    pub(crate) slewed: Option<u64>,
    /// Whether it may have changed by more than while it runs steadily.
    pub(crate) hurried: bool,
    /// Readings after which the clock stood on a line.
    pub(crate) by_line: u64,
    /// Readings of unknown uncertainty.
    pub(crate) unknown: u64,
    /// What comparisons found.
    pub(crate) epoch: crate::Epoch,
    /// By how much the kernel's clock was found to be set back, ns.
    pub(crate) set_back: u64,
    /// Whether the counter was given up.
    pub(crate) given_up: bool,
    /// Readings of the wall clock.
    pub(crate) wall: Vec<WallSeen>,
    /// Those without a bound that were to have one.
    pub(crate) wall_unbounded: u64,
    /// One that UTC was outside of, though the kernel's own bound held.
    pub(crate) wall_outside: Option<String>,
    /// One that was less than one finished before, though the clock was not set.
    pub(crate) wall_back: Option<String>,
    /// When the wall clock was set last.
    pub(crate) wall_set_at: Option<u64>,
}

type Clock = Chain<SimWord, 4>;

impl Plan {
    pub(crate) fn run(&self) -> Run {
        let sim = Arc::new(Sim::new(self));
        let clock = Clock::of_words();
        std::thread::scope(|scope| {
            for me in 0..self.threads {
                let (sim, clock) = (sim.clone(), &clock);
                scope.spawn(move || {
                    let _turn = enter(&sim, me);
                    for _ in 0..self.reads {
                        if sim.with(|w| self.wall_reads > 0 && w.random(8) < self.wall_reads) {
                            self.read_wall(&sim, clock);
                        } else {
                            self.read(&sim, clock);
                        }
                    }
                });
            }
        });
        let mut run = sim.finish();
        run.epoch = clock.epoch();
        run.set_back = clock.set_back_ns();
        run.given_up = clock.choice().is_some_and(|c| c.source == Source::System);
        run
    }

    fn read(&self, sim: &Sim, clock: &Clock) {
        let machine = Machine::of(sim);
        let end = match clock.basis() {
            Basis::Line(fit) => Some(fit.line.start.wrapping_add(fit.line.len)),
            Basis::Starting | Basis::System => None,
        };
        let (floor, begin, with_uncertainty) = sim.with(|w| {
            w.let_pass(end, self.max_gap);
            w.happen(&self.events);
            (w.floor, w.kernel(), w.random(2) == 0)
        });
        let epoch = clock.epoch();
        let reading = if with_uncertainty {
            clock.slow(&machine)
        } else {
            let all = Some(u64::MAX >> 2);
            crate::Reading { ns: clock.now(&machine), uncertainty_ns: all, uncertainty_if_steady_ns: all }
        };
        let set_back = clock.set_back_ns();
        let by_line = matches!(clock.basis(), Basis::Line(_));
        let unsteady = sim.with(|w| {
            let (begin, ns, end) = (begin + set_back, reading.ns, w.kernel() + set_back);
            let error = if ns < begin { -((begin - ns) as i64) } else { ns.saturating_sub(end) as i64 };
            let at = w.since_start();
            w.run.errors.push((at, error));
            w.run.values.push((at, ns));
            w.run.by_line += u64::from(by_line);
            w.run.last_by_line = if by_line { at } else { w.run.last_by_line };
            if ns < floor && w.run.back.is_none() {
                w.run.back = Some(format!("{ns} after {floor}, {at} ns from the start, by_line {by_line}"));
            }
            w.floor = w.floor.max(ns);
            match reading.uncertainty_ns {
                None => w.run.unknown += 1,
                Some(u) if error.unsigned_abs() > u && w.run.outside.is_none() => {
                    w.run.outside = Some(format!("{reading:?} of [{begin}, {end}], {at} ns from the start"));
                }
                Some(_) => {}
            }
            // What two brackets hide, a comparison can't tell.
            let hidden = 200 + 2 * self.late;
            reading.uncertainty_if_steady_ns.is_some_and(|u| error.unsigned_abs() > u + hidden).then_some((error, at))
        });
        if let Some((error, at)) = unsteady
            && clock.check(&machine) == epoch
        {
            let told = format!("{reading:?} was off by {error} ns, {at} ns from the start: {epoch:?}");
            sim.with(|w| w.run.untold.get_or_insert(told).clone());
        }
    }
}
