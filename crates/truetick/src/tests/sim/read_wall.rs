//! A reading of the wall clock, and what is to be said of it.

use crate::chain::{Basis, Chain};

use super::{
    Plan, Run,
    hardware::Machine,
    machine::{Sim, SimWord, World},
};

/// A reading of the wall clock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WallSeen {
    /// When it was finished, since the start, ns.
    pub(crate) at: u64,
    /// How far from the kernel's wall clock, ns; 0 where that passed it meanwhile.
    pub(crate) off: i64,
    /// What it stated.
    pub(crate) within: Option<u64>,
}

impl Plan {
    /// Reads the wall clock, with bounds or without.
    pub(super) fn read_wall<const N: usize>(&self, sim: &Sim, clock: &Chain<SimWord, N>) {
        let machine = Machine::of(sim);
        let end = match clock.basis() {
            Basis::Line(fit) => Some(fit.line.start.wrapping_add(fit.line.len)),
            Basis::Starting | Basis::System => None,
        };
        let (begun, begin, shown, floor, bounds) = sim.with(|w| {
            w.let_pass(end, self.max_gap);
            w.happen(&self.events);
            (w.since_start(), w.utc(), w.wall_shown(), w.wall.floor, w.random(2) == 0)
        });
        let (ns, within) = if bounds {
            let reading = clock.wall_with_bounds(&machine);
            (reading.ns, Some((reading.within(), reading.within_if_steady())))
        } else {
            (clock.wall(&machine), None)
        };
        sim.with(|w| {
            let (utc, at) = ([begin, w.utc()], w.since_start());
            let shown = [shown, w.wall_shown()];
            let stated = within.and_then(|(wide, _)| wide.ok());
            w.run.wall.push(WallSeen { at, off: off(ns, shown), within: stated });
            w.run.wall_unbounded += u64::from(within.is_some_and(|(wide, _)| wide.is_err()));
            let told = format!("{ns} {within:?} of UTC {utc:?} and the wall clock {shown:?}, {at} ns from the start");
            let believed = w.wall.believed(begun) && !w.run.jumped;
            let tight = within.and_then(|(_, tight)| tight.ok()).filter(|_| !w.run.hurried);
            if believed && stated.into_iter().chain(tight).any(|most| off(ns, utc).unsigned_abs() > most) {
                w.run.wall_outside.get_or_insert(told.clone());
            }
            if ns < floor && w.wall.sets == 0 {
                w.run.wall_back.get_or_insert(format!("{told}, after {floor}"));
            }
            w.wall.floor = w.wall.floor.max(ns);
        });
    }
}

/// How far `ns` is outside of two values between which something went, either way.
fn off(ns: i64, [a, b]: [i64; 2]) -> i64 {
    let (low, high) = (a.min(b), a.max(b));
    if ns < low { ns - low } else { (ns - high).max(0) }
}

impl World {
    pub(super) fn utc(&self) -> i64 {
        self.wall.utc(self.since_start())
    }

    pub(super) fn wall_shown(&self) -> i64 {
        self.wall.shown(self.kernel())
    }
}

impl Run {
    /// How far the wall clock's readings were off the kernel's between these times, ns, at most.
    pub(crate) fn worst_wall(&self, from: u64, to: u64) -> u64 {
        let within = self.wall.iter().filter(|seen| (from..to).contains(&seen.at));
        within.map(|seen| seen.off.unsigned_abs()).max().expect("readings in that time")
    }
}
