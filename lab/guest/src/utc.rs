//! UTC as a scenario has it: a clock that nobody slews, and a constant.

use rustix::time::ClockId;

use crate::clocks::read;

/// CLOCK_MONOTONIC_RAW and this much.
#[derive(Clone, Copy)]
pub(crate) struct Utc {
    beyond_raw_ns: i64,
}

impl Utc {
    /// UTC is ahead of CLOCK_REALTIME by this, just now.
    pub(crate) fn ahead_by(ns: i64) -> Self {
        Self { beyond_raw_ns: ns - Self { beyond_raw_ns: 0 }.bracket().ahead_ns() }
    }

    /// Now, ns since 1970.
    pub(crate) fn now(self) -> i64 {
        read(ClockId::MonotonicRaw) + self.beyond_raw_ns
    }

    /// By how much it is ahead of CLOCK_REALTIME, ns.
    pub(crate) fn ahead_ns(self) -> i64 {
        self.bracket().ahead_ns()
    }

    /// UTC between two readings of CLOCK_REALTIME: the narrowest bracket of some.
    pub(crate) fn bracket(self) -> Bracket {
        let one = || {
            let before = read(ClockId::Realtime);
            let utc = self.now();
            Bracket { before, utc, after: read(ClockId::Realtime) }
        };
        let mut best = one();
        for _ in 0..20 {
            let next = one();
            if next.width_ns() < best.width_ns() {
                best = next;
            }
        }
        best
    }
}

/// UTC between two readings of CLOCK_REALTIME, ns.
#[derive(Clone, Copy)]
pub(crate) struct Bracket {
    before: i64,
    utc: i64,
    after: i64,
}

impl Bracket {
    pub(crate) fn width_ns(self) -> i64 {
        self.after - self.before
    }

    /// CLOCK_REALTIME as UTC was read, give or take half the width.
    pub(crate) fn realtime_ns(self) -> i64 {
        i64::midpoint(self.before, self.after)
    }

    /// By how much UTC is ahead, give or take half the width.
    pub(crate) fn ahead_ns(self) -> i64 {
        self.utc - self.realtime_ns()
    }
}
