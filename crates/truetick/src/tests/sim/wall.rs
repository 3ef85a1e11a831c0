//! The kernel's wall clock, how far it is from UTC, and what the kernel believes of that.

use crate::wall::{Accuracy, Leap, Unbounded, Within};

const SECOND: i64 = 1_000_000_000;
const DAY: i64 = 86_400 * SECOND;
/// What the kernel adds to its maximum error in each second, ns.
const BUMP: u64 = 500_000;
/// An answer is good for a line of 2 ms; and as much again for who asks.
const KEPT: u64 = 5_000_000;

/// A wall clock at the start.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WallPlan {
    /// UTC, as UNIX time, ns.
    pub(crate) utc: i64,
    /// How far the wall clock is ahead of it, ns.
    pub(crate) ahead: i64,
    /// What the kernel allows for beyond that, ns.
    pub(crate) spare: u64,
    /// At the end of the day.
    pub(crate) leap: Leap,
}

/// The wall clock.
#[derive(Debug)]
pub(super) struct Wall {
    /// UTC at the start.
    utc: i64,
    /// Ahead of the kernel's monotonic clock.
    pub(super) offset: i64,
    leap: Leap,
    /// The end of the day at the start.
    midnight: i64,
    /// The maximum error, and the kernel's time, when a daemon told it last.
    told: Option<(u64, u64)>,
    /// When the kernel's own bound did not hold last, as it was asked for it.
    broken: Option<u64>,
    /// How often it was set.
    pub(super) sets: u32,
    /// The greatest value of all finished readings.
    pub(super) floor: i64,
    /// What happens while its accuracy is asked for next.
    pub(super) when_asked: Option<(i64, u64)>,
    /// The hypervisor's.
    pub(super) marker: u64,
}

impl Wall {
    pub(super) fn new(plan: WallPlan, kernel: u64) -> Self {
        Self {
            utc: plan.utc,
            offset: plan.utc + plan.ahead - kernel as i64,
            leap: plan.leap,
            midnight: (plan.utc.div_euclid(DAY) + 1) * DAY,
            told: Some((plan.ahead.unsigned_abs() + plan.spare, kernel)),
            broken: None,
            sets: 0,
            floor: i64::MIN,
            when_asked: None,
            marker: 1,
        }
    }

    /// UNIX time when a clock without leap seconds would show `ns`.
    fn leapt(&self, ns: i64) -> i64 {
        match self.leap {
            Leap::Insert if ns >= self.midnight => ns - SECOND,
            Leap::Delete if ns >= self.midnight - SECOND => ns + SECOND,
            _ => ns,
        }
    }

    /// UTC `time` ns after the start.
    pub(super) fn utc(&self, time: u64) -> i64 {
        self.leapt(self.utc + time as i64)
    }

    /// What it shows when the monotonic clock shows `kernel`.
    pub(super) fn shown(&self, kernel: u64) -> i64 {
        self.leapt(kernel as i64 + self.offset)
    }

    fn maxerror(&self, kernel: u64) -> Option<u64> {
        let (error, at) = self.told?;
        let second = |kernel: u64| (kernel as i64 + self.offset).div_euclid(SECOND);
        Some(error + BUMP * (second(kernel) - second(at)).unsigned_abs())
    }

    /// Whether the answers were true that may have been in use since `begin`.
    pub(super) fn believed(&self, begin: u64) -> bool {
        self.broken.is_none_or(|at| at + KEPT < begin)
    }

    pub(super) fn set(&mut self, by: i64) {
        self.offset += by;
        self.told = None;
        self.sets += 1;
    }

    /// A daemon has found how far it is off.
    pub(super) fn sync(&mut self, time: u64, kernel: u64, spare: u64) {
        let off = (kernel as i64 + self.offset).abs_diff(self.utc + time as i64);
        self.told = Some((off + spare, kernel));
    }

    /// What `adjtimex` says, as it is taken.
    pub(super) fn accuracy(&mut self, time: u64, kernel: u64) -> Accuracy {
        if let Some((ns, spare)) = self.when_asked.take() {
            self.set(ns);
            self.sync(time, kernel, spare);
        }
        // Leap seconds apart, which the two clocks make at different times.
        let off = (kernel as i64 + self.offset).abs_diff(self.utc + time as i64);
        if self.maxerror(kernel).is_some_and(|most| off > most) {
            self.broken = Some(time);
        }
        let within = self.maxerror(kernel).map(|error| Within { ns: error + BUMP, growth_ppb: 500_000 });
        Accuracy { error: within.ok_or(Unbounded::Unsynchronized), leap: self.leap }
    }
}
