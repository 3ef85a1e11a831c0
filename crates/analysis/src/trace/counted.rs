//! What the kernel counts for a thread and for the CPU that it runs on: the evidence for why it stood still.

use serde::{Deserialize, Serialize};

/// Numbers that the kernel keeps, as they stand at a moment or as they grew between two. `None`: not read, or not kept here.
/// Written down as a row in this order; a row that is shorter has no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(into = "Vec<Option<u64>>", from = "Vec<Option<u64>>")]
pub struct Counted {
    /// CLOCK_MONOTONIC_RAW, ns: when the others were read. Nobody slews it, as nobody slews the clock of `ran_ns`; in traces of
    /// the first versions it is CLOCK_MONOTONIC.
    pub raw_ns: Option<u64>,
    /// What CLOCK_BOOTTIME is ahead of it, ns: how long the machine slept.
    pub slept_ns: Option<u64>,
    /// Time on a CPU, ns, less what the kernel knows that hypervisor (and on some kernels interrupts) took of it.
    pub ran_ns: Option<u64>,
    /// Time in which the thread could have run and waited for a CPU, ns.
    pub waited_ns: Option<u64>,
    /// Context switches that the thread did not ask for.
    pub involuntary: Option<u64>,
    /// Context switches in which the thread left its CPU to wait for something, or was stopped.
    pub voluntary: Option<u64>,
    /// Page faults that needed no device.
    pub minor_faults: Option<u64>,
    /// Page faults that waited for a device.
    pub major_faults: Option<u64>,
    /// Time for which a cgroup's quota was used up, ns, all CPUs of the group added.
    pub throttled_ns: Option<u64>,
    /// Times that the process was continued after a stop (SIGCONT).
    pub continued: Option<u64>,
    /// Time that the hypervisor took from the CPU, ns, in steps of a clock tick; `None` where it never took any or does not
    /// say.
    pub stolen_ns: Option<u64>,
    /// Interrupts that the CPU took.
    pub interrupts: Option<u64>,
    /// Time that the CPU spent in hardware interrupts, ns, in steps of a clock tick; `None` where the kernel does not take it
    /// out of `ran_ns`.
    pub interrupted_ns: Option<u64>,
}

/// Numbers in a row.
const COLUMNS: usize = 13;

impl Counted {
    /// What a kernel shows that tells all but the time of interrupts where nothing happened in `raw_ns`, of which the thread
    /// ran for `ran_ns`: what made-up traces begin with.
    pub const fn quiet(raw_ns: u64, ran_ns: u64) -> Self {
        let none = Some(0);
        Self {
            raw_ns: Some(raw_ns),
            slept_ns: none,
            ran_ns: Some(ran_ns),
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

    /// By how much all of it grew since `before`; `None` where either is not known. What went back did not grow.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let grown = |(now, before): (Option<u64>, Option<u64>)| Some(now?.saturating_sub(before?));
        let mut both = self.row().into_iter().zip(before.row());
        Self::of(|| both.next().and_then(grown))
    }

    /// Both growths together; what is not known of one is not known of both.
    #[must_use]
    pub fn and(&self, more: &Self) -> Self {
        let sum = |(one, other): (Option<u64>, Option<u64>)| Some(one?.saturating_add(other?));
        let mut both = self.row().into_iter().zip(more.row());
        Self::of(|| both.next().and_then(sum))
    }

    /// What each of so many alike had of it on average, as whole numbers.
    #[must_use]
    pub fn each_of(&self, many: u64) -> Self {
        let mut row = self.row().into_iter();
        Self::of(|| row.next().flatten().map(|count| count / many.max(1)))
    }

    /// Which events grew, and which are not known, as a number: what has the same one went the same way.
    pub(super) fn pattern(&self) -> u64 {
        // Time, and time on a CPU, grow at every look.
        let one = |(at, count): (usize, Option<u64>)| match count {
            None => 0,
            Some(count) => {
                if at == 0 || at == 2 || count == 0 {
                    1
                } else {
                    2
                }
            }
        };
        self.row().into_iter().enumerate().map(one).fold(0, |pattern, one| pattern * 3 + one)
    }

    fn row(&self) -> [Option<u64>; COLUMNS] {
        [
            self.raw_ns,
            self.slept_ns,
            self.ran_ns,
            self.waited_ns,
            self.involuntary,
            self.voluntary,
            self.minor_faults,
            self.major_faults,
            self.throttled_ns,
            self.continued,
            self.stolen_ns,
            self.interrupts,
            self.interrupted_ns,
        ]
    }

    /// Of numbers in the row's order: fields are evaluated as they stand.
    fn of(mut next: impl FnMut() -> Option<u64>) -> Self {
        Self {
            raw_ns: next(),
            slept_ns: next(),
            ran_ns: next(),
            waited_ns: next(),
            involuntary: next(),
            voluntary: next(),
            minor_faults: next(),
            major_faults: next(),
            throttled_ns: next(),
            continued: next(),
            stolen_ns: next(),
            interrupts: next(),
            interrupted_ns: next(),
        }
    }
}

impl From<Counted> for Vec<Option<u64>> {
    fn from(counted: Counted) -> Self {
        let mut row = counted.row().to_vec();
        while row.last().is_some_and(Option::is_none) {
            row.pop();
        }
        row
    }
}

impl From<Vec<Option<u64>>> for Counted {
    fn from(row: Vec<Option<u64>>) -> Self {
        let mut row = row.into_iter();
        Self::of(|| row.next().flatten())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_counted_comes_back_and_grows_by_what_it_grew(now: [Option<u32>; COLUMNS], more: [u32; COLUMNS]) {
            let mut at = now.into_iter();
            let before = Counted::of(|| at.next().flatten().map(u64::from));
            let mut at = now.into_iter().zip(more);
            let after = Counted::of(|| at.next().and_then(|(now, more)| Some(u64::from(now?) + u64::from(more))));
            let grown = after.since(&before);
            let wanted = now.into_iter().zip(more).map(|(now, more)| now.map(|_| u64::from(more)));
            prop_assert_eq!(grown.row().to_vec(), wanted.collect::<Vec<_>>());
            let text = serde_json::to_string(&grown).unwrap();
            prop_assert_eq!(serde_json::from_str::<Counted>(&text).unwrap(), grown);
        }
    }

    #[test]
    fn what_went_back_did_not_grow() {
        let before = Counted { waited_ns: Some(9), voluntary: Some(1), ..Counted::default() };
        let after = Counted { waited_ns: Some(7), involuntary: Some(1), ..Counted::default() };
        assert_eq!(after.since(&before), Counted { waited_ns: Some(0), ..Counted::default() });
    }
}
