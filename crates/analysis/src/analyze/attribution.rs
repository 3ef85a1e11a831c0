//! Where a time went in which a thread stood still: shares of it by cause, of what the kernel counted meanwhile.
//! Method: docs/method/interruptions.md.

#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::trace::Counted;

/// Makes the list of causes.
macro_rules! causes {
    ($($(#[doc = $doc:literal])* $name:ident,)*) => {
        /// Why a thread stood still.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum Cause {
            $($(#[doc = $doc])* $name,)*
        }

        impl Cause {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name,)*];
        }
    };
}

causes! {
    /// The machine slept.
    Suspend,
    /// Its cgroup's CPU quota was used up.
    Throttled,
    /// The scheduler ran something else.
    Preempted,
    /// The process was stopped (SIGSTOP) and continued.
    Stopped,
    /// It waited for something: a freezer, a debugger, a lock of the kernel's.
    Blocked,
    /// Pages of memory were missing.
    PageFault,
    /// The hypervisor took the CPU.
    Stolen,
    /// It was moved to another CPU.
    Migrated,
    /// The CPU served interrupts.
    Interrupt,
    /// No counter moved: system management interrupts, a hypervisor that does not say, or counters that can't be read.
    Unknown,
}

/// How far the scheduler's clock and CLOCK_MONOTONIC_RAW may run apart, as a share of the time: nobody slews either, but each
/// goes by what the kernel takes for the frequency of its own counter.
const APART: f64 = 5e-4;
/// No interrupt takes longer, ns: its handler, and the softirqs that are served for 2 ms when it is over (the kernel's
/// `MAX_SOFTIRQ_TIME`). What is longer is somebody else's doing.
pub(super) const HANDLER_NS: f64 = 2.2e6;
/// What passes between reading two counters, ns.
const BETWEEN_NS: f64 = 2e3;

/// A time by cause, ns.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Shares {
    ns: [f64; Cause::ALL.len()],
}

impl Shares {
    /// What of it is that cause's, ns.
    pub fn of(&self, cause: Cause) -> f64 {
        self.ns[cause as usize]
    }

    /// Gives a cause another share, ns.
    pub(super) fn set(&mut self, cause: Cause, ns: f64) {
        self.ns[cause as usize] = ns;
    }

    /// All of it, ns.
    pub fn total(&self) -> f64 {
        self.ns.iter().sum()
    }

    /// Each cause that has a share, ns.
    pub fn each(&self) -> impl Iterator<Item = (Cause, f64)> {
        Cause::ALL.iter().map(|cause| (*cause, self.of(*cause))).filter(|(_, ns)| *ns > 0.0)
    }

    /// The cause with the largest share.
    pub fn principal(&self) -> Cause {
        let largest = self.each().max_by(|(_, a), (_, b)| a.total_cmp(b));
        largest.map_or(Cause::Unknown, |(cause, _)| cause)
    }

    /// Adds to a cause's share, ns.
    pub(super) fn take(&mut self, cause: Cause, ns: f64) {
        self.ns[cause as usize] += ns;
    }

    /// Adds what another time was spent with.
    pub fn add(&mut self, other: &Self) {
        self.ns.iter_mut().zip(other.ns).for_each(|(sum, ns)| *sum += ns);
    }
}

/// What is left to be explained.
struct Left {
    ns: f64,
    shares: Shares,
}

impl Left {
    fn take(&mut self, cause: Cause, ns: f64) {
        // NaN counts as nothing.
        let ns = ns.min(self.ns).max(0.0);
        self.shares.ns[cause as usize] += ns;
        self.ns -= ns;
    }

    fn take_all(&mut self, cause: Cause) {
        self.take(cause, self.ns);
    }
}

fn moved(count: Option<u64>) -> bool {
    count.is_some_and(|count| count > 0)
}

/// What took a time, ns, in which a thread neither ran nor waited for a CPU, and did not leave its CPU by itself.
fn taken_by(seen: &Counted, off_ns: f64) -> Option<Cause> {
    // How long it waited is not kept everywhere.
    if seen.waited_ns.is_none() && moved(seen.involuntary) {
        return Some(Cause::Preempted);
    }
    // Some kernels take interrupts out of a thread's time too. A look that did not count them does not say that there were none.
    let may_be_interrupts = seen.interrupted_ns.is_some() && seen.interrupts != Some(0);
    let is_short = off_ns < HANDLER_NS && seen.stolen_ns <= seen.interrupted_ns;
    match seen.stolen_ns {
        Some(_) if may_be_interrupts && is_short => Some(Cause::Interrupt),
        Some(_) => Some(Cause::Stolen),
        None => may_be_interrupts.then_some(Cause::Interrupt),
    }
}

/// Where `length_ns` went in which a thread that never waits by itself stood still. `seen` grew from the last look before it to
/// right after it, so that it may hold a little more; `migrated`: the CPU changed.
///
/// What the kernel counts in nanoseconds is taken by its measure: sleep of the machine, waiting for a CPU, and time that the
/// thread neither ran nor waited. What remains goes to the first event that was counted, since a preemption brings
/// interrupts and not the other way round. The shares add up to the length.
pub fn attribute(length_ns: f64, seen: &Counted, migrated: bool) -> Shares {
    let ns = |count: Option<u64>| count.map(|count| count as f64);
    let mut left = Left { ns: length_ns.max(0.0), shares: Shares::default() };
    left.take(Cause::Suspend, ns(seen.slept_ns).unwrap_or(0.0));
    let waited = ns(seen.waited_ns);
    let throttled = ns(seen.throttled_ns).unwrap_or(0.0).min(waited.unwrap_or(f64::MAX));
    left.take(Cause::Throttled, throttled);
    left.take(Cause::Preempted, waited.map_or(0.0, |waited| waited - throttled));
    // Neither on a CPU nor waiting for one.
    let span = ns(seen.raw_ns);
    let off = span.zip(ns(seen.ran_ns)).map(|(span, ran)| {
        let off = span - ran - waited.unwrap_or(0.0);
        if off > APART * span + BETWEEN_NS { off } else { 0.0 }
    });
    if moved(seen.voluntary) {
        let cause = if moved(seen.continued) {
            Cause::Stopped
        } else if moved(seen.major_faults) {
            Cause::PageFault
        } else {
            Cause::Blocked
        };
        left.take(cause, off.unwrap_or(f64::MAX));
    } else if let Some(off) = off {
        if let Some(cause) = taken_by(seen, off).filter(|_| off > 0.0) {
            left.take(cause, off);
        }
        // Some kernels count steal and leave it in a thread's time: the column alone tells it then, in whole ticks, which come
        // due in short times away as well.
        if off < HANDLER_NS && left.ns > HANDLER_NS {
            left.take(Cause::Stolen, ns(seen.stolen_ns).unwrap_or(0.0));
        }
    } else {
        left.take(Cause::Stolen, ns(seen.stolen_ns).unwrap_or(0.0));
    }
    // The switch itself, and what came along with it.
    let explained = left.shares.each().map(|(_, ns)| ns).sum::<f64>();
    if explained > left.ns {
        let principal = left.shares.principal();
        left.take_all(principal);
    } else if migrated {
        left.take_all(Cause::Migrated);
    } else if moved(seen.involuntary) && waited.is_none() {
        left.take_all(Cause::Preempted);
    } else if moved(seen.minor_faults) || moved(seen.major_faults) {
        left.take_all(Cause::PageFault);
    } else if moved(seen.involuntary) && moved(seen.waited_ns) {
        left.take_all(Cause::Preempted);
    } else if moved(seen.interrupts) {
        // After whatever kept the CPU for longer comes the tick that was due meanwhile.
        left.take(Cause::Interrupt, ns(seen.interrupts).map_or(0.0, |count| count * HANDLER_NS));
        left.take_all(Cause::Unknown);
    } else if moved(seen.involuntary) {
        left.take_all(Cause::Preempted);
    } else {
        left.take_all(Cause::Unknown);
    }
    left.shares
}
