//! What somebody says of how far the system's wall clock is from UTC.

use core::fmt;

/// An answer to: how far is the system's wall clock from UTC?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Accuracy {
    /// The bound, or why there is none.
    pub error: Result<Within, Unbounded>,
    /// Whether a leap second is due.
    pub leap: Leap,
}

/// A bound on the wall clock's error that grows with time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Within {
    /// When it was asked for: at most this, ns.
    pub ns: u64,
    /// By how much it grows from then on, parts in 10^9 (ns a second).
    pub growth_ppb: u32,
}

/// Why no bound is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unbounded {
    /// Nothing synchronizes the clock: no daemon has set it right since the start, since it was last set by hand, or for
    /// so long that the kernel ceased to believe it (on Linux STA_UNSYNC, or an error that only `TIME_ERROR` tells).
    Unsynchronized,
    /// The hypervisor says that the counter was disrupted (a live migration, a snapshot), and nobody has said since that
    /// the clock is right again.
    Disrupted,
    /// Whoever knows has not renewed its word in time.
    Stale,
    /// Whoever should know can't be read, or what it says makes no sense.
    NoAnswer,
    /// On this system there is nobody to ask.
    NobodySays,
    /// The clock was set while its accuracy was asked for.
    JustSet,
    /// The system's clocks can't be read.
    ClockFails,
    /// The machine has slept, and what the kernel says of its clock's error may be from before: nobody has set it right since.
    Slept,
}

/// A leap second at the end of the current UTC day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Leap {
    /// None that is known of.
    #[default]
    None,
    /// 23:59:60 follows 23:59:59, or it is that second, or the one after. UNIX time shows it as 23:59:59 once more.
    Insert,
    /// 00:00:00 follows 23:59:58.
    Delete,
}

/// A leap second is taken for possible so long before and after the end of a UTC day, ns: a clock that counts as
/// synchronized is at most 16 s off, the kernel makes it up to a tick late, and a line shows it up to its own length later.
const LEAP_NS: i64 = 20_000_000_000;
const DAY_NS: i64 = 86_400_000_000_000;

impl Leap {
    /// By how much UNIX time may be wrong for it, where it shows `unix` ns.
    pub(crate) fn ns_at(self, unix: i64) -> u64 {
        let into = unix.rem_euclid(DAY_NS);
        let near = !(LEAP_NS..DAY_NS - LEAP_NS).contains(&into);
        if self != Self::None && near { 1_000_000_000 } else { 0 }
    }
}

const REASONS: [Unbounded; 8] = [
    Unbounded::Unsynchronized,
    Unbounded::Disrupted,
    Unbounded::Stale,
    Unbounded::NoAnswer,
    Unbounded::NobodySays,
    Unbounded::JustSet,
    Unbounded::ClockFails,
    Unbounded::Slept,
];

/// In a word that is a bound in ns otherwise.
const NO_BOUND: u64 = 1 << 63;
/// Where the reason stands: below it there is room for what a bound grows by.
const REASON_SHIFT: u32 = 56;
/// The greatest bound that is one, ns: 36 years.
const MOST: u64 = 1 << 60;

/// A bound or its absence in one word; to a bound more may be added (below 2^56).
pub(crate) const fn word(error: Result<u64, Unbounded>) -> u64 {
    match error {
        Ok(ns) if ns < MOST => ns,
        Ok(_) => word(Err(Unbounded::Unsynchronized)),
        Err(why) => NO_BOUND | (why as u64) << REASON_SHIFT,
    }
}

/// From such a word.
pub(crate) fn of_word(word: u64) -> Result<u64, Unbounded> {
    if word & NO_BOUND == 0 {
        return Ok(word);
    }
    let reason = (word & !NO_BOUND) >> REASON_SHIFT;
    Err(REASONS.get(reason as usize).copied().unwrap_or(Unbounded::NoAnswer))
}

impl Accuracy {
    /// The clock is within `ns` nanoseconds of UTC now, which grows from here on by `growth_ppb` parts in 10^9 of the time
    /// that passes. No leap second.
    #[must_use]
    pub const fn within(ns: u64, growth_ppb: u32) -> Self {
        Self { error: Ok(Within { ns, growth_ppb }), leap: Leap::None }
    }

    /// The same with this leap second.
    #[must_use]
    pub const fn with_leap(self, leap: Leap) -> Self {
        Self { leap, ..self }
    }

    /// No bound, and why.
    #[must_use]
    pub const fn unbounded(why: Unbounded) -> Self {
        Self { error: Err(why), leap: Leap::None }
    }

    /// The bound `age` ns after it was asked for, ns.
    pub(crate) fn after(self, age: u64) -> Result<u64, Unbounded> {
        let Within { ns, growth_ppb } = self.error?;
        let grown = u128::from(age) * u128::from(growth_ppb) / 1_000_000_000 + 1;
        Ok(ns.saturating_add(u64::try_from(grown).unwrap_or(u64::MAX)))
    }

    /// The bound just when it was asked for, of a clock that shows `unix` ns, ns.
    pub(crate) fn at(self, unix: i64) -> Result<u64, Unbounded> {
        Ok(self.after(0)?.saturating_add(self.leap.ns_at(unix)))
    }
}

impl fmt::Display for Unbounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unsynchronized => "nothing synchronizes the clock",
            Self::Disrupted => "the counter was disrupted, and the clock not set right since",
            Self::Stale => "whoever knows the clock's error has not renewed its word",
            Self::NoAnswer => "whoever should know the clock's error gives no answer that makes sense",
            Self::NobodySays => "nobody says here how far the clock is off",
            Self::JustSet => "the clock has just been set",
            Self::ClockFails => "the system's clocks can't be read",
            Self::Slept => "the machine has slept, and nobody has set the clock right since",
        })
    }
}

impl core::error::Error for Unbounded {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bound_or_reason_survives_its_word() {
        for why in REASONS {
            // What a bound would have grown by.
            assert_eq!(of_word(word(Err(why)) + (1 << 55)), Err(why));
        }
        for ns in [0, 16_000_000_000, MOST - 1] {
            assert_eq!(of_word(word(Ok(ns))), Ok(ns));
        }
        assert_eq!(of_word(word(Ok(MOST))), Err(Unbounded::Unsynchronized));
        assert_eq!(of_word(u64::MAX), Err(Unbounded::NoAnswer));
    }

    #[test]
    fn a_bound_grows() {
        let a = Accuracy::within(1000, 500_000);
        assert_eq!((a.after(0), a.after(2_000_000_000)), (Ok(1001), Ok(1_001_001)));
        let most = Accuracy::within(u64::MAX, u32::MAX);
        assert_eq!(most.after(u64::MAX), Ok(u64::MAX));
        assert_eq!(Accuracy::unbounded(Unbounded::Stale).after(5), Err(Unbounded::Stale));
    }
}
