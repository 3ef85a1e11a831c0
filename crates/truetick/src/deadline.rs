//! A point in time to be done by.

use core::time::Duration;

use crate::Instant;

/// A deadline. Each question reads the clock once and gives one answer from that reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Deadline {
    at: At,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum At {
    Time(Instant),
    Never,
}

impl Deadline {
    /// One that never passes.
    pub const NEVER: Self = Self { at: At::Never };

    /// The one at `instant`.
    pub const fn at(instant: Instant) -> Self {
        Self { at: At::Time(instant) }
    }

    /// The one `duration` from now; never, where that can't be represented.
    pub fn after(duration: Duration) -> Self {
        Instant::now().checked_add(duration).map_or(Self::NEVER, Self::at)
    }

    /// When it is; `None`: never.
    pub const fn instant(self) -> Option<Instant> {
        match self.at {
            At::Time(instant) => Some(instant),
            At::Never => None,
        }
    }

    /// The time left, as of now: zero once it has passed, [`Duration::MAX`] for never.
    pub fn remaining(self) -> Duration {
        self.remaining_at(Instant::now())
    }

    /// The time left, as of `now`: for a loop that has read the clock already.
    pub fn remaining_at(self, now: Instant) -> Duration {
        match self.at {
            At::Time(instant) => instant.saturating_duration_since(now),
            At::Never => Duration::MAX,
        }
    }

    /// Whether it has passed: exactly when [`remaining`](Self::remaining) is zero.
    pub fn has_passed(self) -> bool {
        self.remaining().is_zero()
    }

    /// The time left, or `None` once it has passed: both questions from one reading.
    pub fn check(self) -> Option<Duration> {
        Some(self.remaining()).filter(|left| !left.is_zero())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_reading_gives_one_answer() {
        let t = Instant::from_nanos(1000);
        let deadline = Deadline::at(t);
        assert_eq!(deadline.remaining_at(Instant::from_nanos(400)), Duration::from_nanos(600));
        assert_eq!(deadline.remaining_at(t), Duration::ZERO);
        assert_eq!(deadline.remaining_at(Instant::from_nanos(2000)), Duration::ZERO);
        assert!(deadline.has_passed() && deadline.check().is_none());
        let far = Deadline::after(Duration::from_secs(3600));
        assert!(!far.has_passed());
        assert!(far.check().unwrap() > Duration::from_secs(3500));
    }

    #[test]
    fn too_far_is_never() {
        let never = Deadline::after(Duration::MAX);
        assert_eq!(never, Deadline::NEVER);
        assert_eq!((never.remaining(), never.has_passed(), never.instant()), (Duration::MAX, false, None));
        assert!(never > Deadline::at(Instant::from_nanos(i64::MAX)));
    }
}
