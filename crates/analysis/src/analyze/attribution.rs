//! Where a time went in which a thread stood still: shares of it by cause, of what the kernel counted meanwhile.
//! Method: docs/method/interruptions.md.

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

/// How far two of the kernel's clocks may run apart, as a share of the time: NTP may slew by 500 ppm.
const SLEW: f64 = 5e-4;
/// No interrupt's handler takes longer, ns: what is longer is a hypervisor's doing, where one takes the CPU at all.
const HANDLER_NS: f64 = 2e5;
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

/// Where `length_ns` went in which a thread that never waits by itself stood still. `seen` grew from the last look before it to
/// right after it, so that it may hold a little more; `migrated`: the CPU changed.
///
/// What the kernel counts in nanoseconds is taken by its measure: sleep of the machine, waiting for a CPU, and time that the
/// thread neither ran nor waited. What remains goes to the first event that was counted, since a preemption brings
/// interrupts and not the other way round. The shares add up to the length.
pub fn attribute(length_ns: f64, seen: &Counted, migrated: bool) -> Shares {
    let ns = |count: Option<u64>| count.map(|count| count as f64);
    let moved = |count: Option<u64>| count.is_some_and(|count| count > 0);
    let mut left = Left { ns: length_ns.max(0.0), shares: Shares::default() };
    left.take(Cause::Suspend, ns(seen.slept_ns).unwrap_or(0.0));
    let waited = ns(seen.waited_ns);
    let throttled = ns(seen.throttled_ns).unwrap_or(0.0).min(waited.unwrap_or(f64::MAX));
    left.take(Cause::Throttled, throttled);
    left.take(Cause::Preempted, waited.map_or(0.0, |waited| waited - throttled));
    // Neither on a CPU nor waiting for one.
    let span = ns(seen.monotonic_ns);
    let off = span.zip(ns(seen.ran_ns)).map(|(span, ran)| {
        let off = span - ran - waited.unwrap_or(0.0);
        if off > SLEW * span + BETWEEN_NS { off } else { 0.0 }
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
        // Some kernels take interrupts out of a thread's time too; these are short, and steal is counted.
        let is_counted = seen.interrupted_ns.is_some() && moved(seen.interrupts);
        let by_interrupts = is_counted && (off < HANDLER_NS || seen.stolen_ns.is_none());
        if by_interrupts {
            left.take(Cause::Interrupt, off);
        } else if seen.stolen_ns.is_some() {
            left.take(Cause::Stolen, off);
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
        left.take_all(Cause::Interrupt);
    } else if moved(seen.involuntary) {
        left.take_all(Cause::Preempted);
    } else {
        left.take_all(Cause::Unknown);
    }
    left.shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A millisecond in which nothing but what the test says happened, all that was to be read having been read.
    fn quiet(ran: u64) -> Counted {
        let none = Some(0);
        Counted {
            monotonic_ns: Some(1_010_000),
            slept_ns: none,
            ran_ns: Some(ran),
            waited_ns: none,
            involuntary: none,
            voluntary: none,
            minor_faults: none,
            major_faults: none,
            throttled_ns: none,
            continued: none,
            stolen_ns: none,
            interrupts: none,
            interrupted_ns: None,
        }
    }

    const WHOLE: u64 = 1_010_000;
    const LENGTH: f64 = 1e6;

    #[test]
    fn each_cause_gets_the_time_that_it_took() {
        let one = Some(1);
        let cases = [
            (Cause::Unknown, quiet(WHOLE)),
            (Cause::Interrupt, Counted { interrupts: one, ..quiet(WHOLE) }),
            (Cause::PageFault, Counted { minor_faults: one, interrupts: one, ..quiet(WHOLE) }),
            (Cause::PageFault, Counted { minor_faults: Some(64), involuntary: one, interrupts: one, ..quiet(WHOLE) }),
            (Cause::PageFault, Counted { major_faults: one, voluntary: one, interrupts: one, ..quiet(10_000) }),
            (
                Cause::Preempted,
                Counted { waited_ns: Some(990_000), involuntary: one, interrupts: Some(9), ..quiet(20_000) },
            ),
            (
                Cause::Preempted,
                Counted { waited_ns: None, ran_ns: None, involuntary: one, interrupts: one, ..quiet(0) },
            ),
            (
                Cause::Throttled,
                Counted { waited_ns: Some(990_000), throttled_ns: Some(980_000), involuntary: one, ..quiet(20_000) },
            ),
            (Cause::Stopped, Counted { voluntary: one, continued: one, ..quiet(10_000) }),
            (Cause::Blocked, Counted { voluntary: one, ..quiet(10_000) }),
            // Shorter than the tick in which the kernel shows it.
            (Cause::Stolen, Counted { interrupts: one, ..quiet(20_000) }),
            (Cause::Stolen, Counted { ran_ns: None, stolen_ns: Some(10_000_000), interrupts: one, ..quiet(0) }),
            // A kernel that counts interrupts' time, and no hypervisor that takes any.
            (Cause::Interrupt, Counted { stolen_ns: None, interrupts: one, interrupted_ns: Some(0), ..quiet(20_000) }),
            (Cause::Stolen, Counted { interrupts: one, interrupted_ns: Some(0), ..quiet(20_000) }),
            (Cause::Suspend, Counted { slept_ns: Some(2_000_000), interrupts: Some(90), ..quiet(10_000) }),
        ];
        for (cause, seen) in cases {
            let shares = attribute(LENGTH, &seen, false);
            assert!(shares.of(cause) >= 0.95 * LENGTH, "{cause:?}: {shares:?}");
            assert_eq!(shares.principal(), cause);
        }
        assert_eq!(attribute(LENGTH, &Counted::default(), true).principal(), Cause::Migrated);
        assert_eq!(attribute(LENGTH, &Counted::default(), false).principal(), Cause::Unknown);
    }

    #[test]
    fn a_kernel_that_counts_the_time_of_interrupts_counts_it_as_theirs() {
        let seen =
            Counted { monotonic_ns: Some(60_000), interrupts: Some(1), interrupted_ns: Some(0), ..quiet(10_000) };
        assert_eq!(attribute(5e4, &seen, false).principal(), Cause::Interrupt);
    }

    #[test]
    fn two_causes_share_a_time_as_they_were_measured() {
        let seen = Counted {
            waited_ns: Some(600_000),
            throttled_ns: Some(200_000),
            involuntary: Some(2),
            ..quiet(WHOLE - 900_000)
        };
        let shares = attribute(LENGTH, &seen, false);
        for (cause, wanted) in [(Cause::Throttled, 2e5), (Cause::Preempted, 5e5), (Cause::Stolen, 3e5)] {
            assert!((shares.of(cause) - wanted).abs() < 1.0, "{cause:?}: {shares:?}");
        }
    }

    #[test]
    fn clocks_that_run_apart_in_a_long_quiet_time_are_no_steal() {
        let seen = Counted { monotonic_ns: Some(10_000_000_000), interrupts: Some(1), ..quiet(9_996_000_000) };
        assert_eq!(attribute(5e3, &seen, false).principal(), Cause::Interrupt);
    }

    proptest! {
        #[test]
        fn shares_add_up_whatever_was_counted(row: Vec<Option<u64>>, length in 0.0..1e12f64, migrated: bool) {
            let shares = attribute(length, &row.into(), migrated);
            let sum: f64 = shares.each().map(|(_, ns)| ns).sum();
            prop_assert!((sum - length).abs() <= 1e-9 * length, "{sum} of {length}: {shares:?}");
        }
    }
}
