//! To and from `Instant` and `SystemTime`.

use std::time::{SystemTime, UNIX_EPOCH};

use super::{OutOfRange, UtcInstant, UtcReading};
use crate::{Instant, clock::CLOCK, native::Native};

impl Instant {
    /// The wall clock at this point, past or to come, by what that differs from the monotonic clock now: as if it had not
    /// been set in between. Costs some 60 ns.
    ///
    /// The uncertainty is that of a reading made now, and what the monotonic clock may have gone wrong between this and
    /// now: 30 % of that, whatever Linux permits; or 500 ppm of it, if a second of that clock was right to 500 ppm all the
    /// while. (That is more than a rate which does not change: nothing here tells afterwards whether it was so.) Leap seconds
    /// in between are not in it, nor a sleep of the machine (in which the monotonic clock stands still: times before it come out
    /// too late by as long), nor the [uncertainty](crate::Clock::reading) that the reading itself had, if this is one.
    pub fn to_utc(self) -> UtcReading {
        UtcReading::of(CLOCK.to_wall(&Native, self.as_nanos()))
    }
}

impl UtcInstant {
    /// The `Instant` at which the wall clock shows this, past or to come, by what it differs from the monotonic clock now: as
    /// if it were not set in between. `None`: that can't be represented, or the clocks can't be read. Costs some 60 ns.
    ///
    /// How far off that is: `to_instant()?.to_utc()` has this time, and the uncertainty.
    pub fn to_instant(self) -> Option<Instant> {
        CLOCK.of_wall(&Native, self.as_unix_nanos()).map(Instant::from_nanos)
    }
}

impl From<UtcInstant> for SystemTime {
    /// On Windows in steps of 100 ns.
    ///
    /// # Panics
    /// Where the system's time does not reach: none is known that does not cover 1677 to 2262.
    fn from(time: UtcInstant) -> Self {
        let ns = std::time::Duration::from_nanos(time.as_unix_nanos().unsigned_abs());
        if time.as_unix_nanos() < 0 { UNIX_EPOCH - ns } else { UNIX_EPOCH + ns }
    }
}

impl TryFrom<SystemTime> for UtcInstant {
    type Error = OutOfRange;

    fn try_from(time: SystemTime) -> Result<Self, OutOfRange> {
        let (since, sign) = match time.duration_since(UNIX_EPOCH) {
            Ok(since) => (since, 1),
            Err(before) => (before.duration(), -1),
        };
        let ns = i128::try_from(since.as_nanos()).map_err(|_| OutOfRange)? * sign;
        i64::try_from(ns).map(Self::from_unix_nanos).map_err(|_| OutOfRange)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn system_time_and_back() {
        let step = if cfg!(windows) { 100 } else { 1 };
        for ns in [0, 1_795_341_137_460_616_100, -1_500_000_000, i64::MIN + 8, i64::MAX - 7].map(|ns| ns / step * step)
        {
            let time = UtcInstant::from_unix_nanos(ns);
            assert_eq!(UtcInstant::try_from(SystemTime::from(time)), Ok(time));
        }
        let far = UNIX_EPOCH + Duration::from_secs(1 << 40);
        assert_eq!(UtcInstant::try_from(far), Err(OutOfRange));
    }

    #[test]
    fn instants_and_back() {
        let now = Instant::now();
        for instant in [now, now - Duration::from_secs(3600), now + Duration::from_secs(86_400)] {
            let utc = instant.to_utc();
            let back = utc.time().to_instant().unwrap();
            // The difference is found anew in between, between two readings that the system, or an interpreter, may part.
            assert!(back.as_nanos().abs_diff(instant.as_nanos()) < 1_000_000_000, "{back:?} {instant:?}");
            if let (Ok(wide), Ok(tight)) = (utc.uncertainty(), utc.uncertainty_if_steady()) {
                assert!(wide >= tight, "{utc:?}");
            }
        }
        assert_eq!(UtcInstant::from_unix_nanos(i64::MIN).to_instant(), None);
    }
}
