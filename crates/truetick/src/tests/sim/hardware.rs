//! The machine's clocks, as one reading sees them.

use std::cell::Cell;

use crate::{
    hardware::Hardware,
    source::{Choice, Why},
    wall::Accuracy,
};

use super::machine::{Sim, World, point};

/// The simulated counter and kernel, as one reading sees them. A read takes 5 to 40 ns; one of the kernel's clock
/// right after one of the counter, `late` ns more, so that lines run behind the kernel by half of that.
pub(super) struct Machine<'a>(&'a Sim, Cell<bool>);

impl<'a> Machine<'a> {
    pub(super) fn of(sim: &'a Sim) -> Self {
        Self(sim, Cell::new(false))
    }

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
    fn wall_ns(&self) -> Option<i64> {
        self.read(|w| {
            if w.failing > 0 {
                w.failing -= 1;
                return None;
            }
            Some(w.wall_shown())
        })
    }
    fn accuracy(&self) -> Accuracy {
        self.read(|w| {
            let (time, kernel) = (w.since_start(), w.kernel());
            w.wall.accuracy(time, kernel)
        })
    }
    fn marker(&self) -> u64 {
        self.0.with(|w| w.wall.marker)
    }
    fn still_used(&self) -> Option<bool> {
        self.0.with(|w| {
            let asked = w.unanswered == 0;
            w.unanswered = w.unanswered.saturating_sub(1);
            asked.then_some(w.run.demoted.is_none())
        })
    }
    fn choose(&self) -> Choice {
        Choice { source: self.0.with(|w| w.source), why: Why::Forced }
    }
}
