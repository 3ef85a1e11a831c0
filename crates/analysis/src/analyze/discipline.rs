//! How the kernel kept its clocks during a run: whether the wall clock was set, and whether the machine slept.

use super::keeping::{Change, Moment, Offset};
use crate::record::{Interval, Run, WallStep};
use crate::trace::Look;

/// What the looks at the kernel's clocks come to.
#[derive(Debug, Clone, Default)]
pub(super) struct Discipline {
    /// The wall clock from the clock that counts sleep, or where there is none, from the monotonic one.
    steps: Offset,
    /// The clock that counts sleep from the monotonic one.
    sleeps: Offset,
}

impl Discipline {
    /// One look, made at `at`.
    pub(super) fn look(&mut self, look: &Look, at: Moment) {
        if let Some(wall) = look.wall {
            self.steps.add(wall, at);
        }
        if let Some(boottime) = look.boottime {
            self.sleeps.add(boottime, at);
        }
    }

    /// Steps of the wall clock, and sleeps.
    pub(super) fn changes(&self) -> (&[Change], &[Change]) {
        (self.steps.changes(), self.sleeps.changes())
    }

    /// Steps of the wall clock that are not among those.
    pub(super) fn steps_omitted(&self) -> u64 {
        self.steps.omitted()
    }

    /// Writes what was seen into the record of the run.
    pub(super) fn state(&self, run: &mut Run) {
        run.suspended_ns = self.sleeps.growth().map(|growth| {
            // Time can't be slept back; what is within the brackets of none is none.
            let value = if growth.low <= 0.0 { 0.0 } else { growth.value };
            Interval { value, low: growth.low.max(0.0), high: growth.high.max(0.0) }
        });
        for (field, offset, clock) in
            [("suspended_ns", &self.sleeps, "CLOCK_BOOTTIME"), ("wall_steps_ns", &self.steps, "CLOCK_REALTIME")]
        {
            if offset.growth().is_none() {
                let why = format!("{clock} and CLOCK_MONOTONIC could not be read past the C library, or only once");
                run.missing.insert(field.into(), why);
            }
        }
        run.wall_steps_omitted = self.steps.omitted();
        run.wall_steps_ns = self
            .steps
            .changes()
            .iter()
            .map(|change| WallStep {
                size_ns: change.size,
                at_ns: f64::midpoint(change.from.kernel_ns, change.to.kernel_ns),
                at_uncertainty_ns: (change.to.kernel_ns - change.from.kernel_ns) / 2.0,
            })
            .collect();
    }
}
