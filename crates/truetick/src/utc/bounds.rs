//! A reading and between what it lies.

use core::time::Duration;

use super::UtcInstant;
use crate::wall::{Unbounded, WallReading};

/// A reading of the wall clock with what is known of its error.
///
/// Two bounds, as of [`Reading`](crate::Reading): one that holds whatever slew the kernel permits, and a tighter one that
/// holds if the kernel's clock has kept its rate to within 500 ppm for the last half a second (or the last two pauses between
/// readings), and runs as fast as UTC to within what the provider's word grows by ([`Within::growth_ppb`](crate::Within)):
/// [`Clock::epoch`](crate::Clock::epoch) tells afterwards of the first. Both rest on what the [`Provider`](crate::Provider) says: with the
/// kernel, that UTC is within `adjtimex`'s maximum error of `CLOCK_REALTIME`, and what the kernel has yet to remove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UtcReading {
    reading: WallReading,
}

/// UTC was not before the one and not after the other when the reading was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Bounds {
    /// UTC was not before this.
    pub earliest: UtcInstant,
    /// UTC was not after this.
    pub latest: UtcInstant,
}

impl UtcReading {
    #[inline]
    pub(super) const fn of(reading: WallReading) -> Self {
        Self { reading }
    }

    /// What the wall clock showed.
    #[inline]
    pub const fn time(&self) -> UtcInstant {
        UtcInstant::from_unix_nanos(self.reading.ns)
    }

    /// How far UTC may have been from [`time`](Self::time), whatever slew the kernel permits.
    ///
    /// # Errors
    /// Why nothing is known.
    #[inline]
    pub fn uncertainty(&self) -> Result<Duration, Unbounded> {
        self.reading.within().map(Duration::from_nanos)
    }

    /// How far UTC may have been from [`time`](Self::time), if the kernel's clock runs [steadily](Self).
    ///
    /// # Errors
    /// Why nothing is known.
    #[inline]
    pub fn uncertainty_if_steady(&self) -> Result<Duration, Unbounded> {
        self.reading.within_if_steady().map(Duration::from_nanos)
    }

    /// Between what UTC was, whatever slew the kernel permits.
    ///
    /// # Errors
    /// Why nothing is known.
    #[inline]
    pub fn bounds(&self) -> Result<Bounds, Unbounded> {
        self.reading.within().map(|ns| Bounds::around(self.time(), ns))
    }

    /// Between what UTC was, if the kernel's clock runs [steadily](Self). (Of an [`Instant::to_utc`](crate::Instant::to_utc), if a second of it was right to 500 ppm in between as well.)
    ///
    /// # Errors
    /// Why nothing is known.
    #[inline]
    pub fn bounds_if_steady(&self) -> Result<Bounds, Unbounded> {
        self.reading.within_if_steady().map(|ns| Bounds::around(self.time(), ns))
    }
}

impl Bounds {
    #[inline]
    fn around(time: UtcInstant, ns: u64) -> Self {
        // Far below 2^63: a bound is at most 2^60 and what a line adds.
        let ns = ns as i64;
        Self { earliest: time.moved(-ns), latest: time.moved(ns) }
    }

    /// Whether `time` was certainly past when the reading was made (Spanner's `TT.after`).
    #[inline]
    pub fn is_after(&self, time: UtcInstant) -> bool {
        self.earliest > time
    }

    /// Whether `time` was certainly still to come when the reading was made (Spanner's `TT.before`).
    #[inline]
    pub fn is_before(&self, time: UtcInstant) -> bool {
        self.latest < time
    }

    /// From the earliest to the latest.
    #[inline]
    pub fn width(&self) -> Duration {
        self.latest.checked_duration_since(self.earliest).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_lie_around_the_reading() {
        let at = UtcInstant::from_unix_nanos;
        let reading = UtcReading::of(WallReading::new(1000, Ok(300), Ok(20)));
        let bounds = reading.bounds().unwrap();
        assert_eq!((bounds.earliest, bounds.latest, bounds.width().as_nanos()), (at(700), at(1300), 600));
        assert_eq!(reading.bounds_if_steady().unwrap(), Bounds { earliest: at(980), latest: at(1020) });
        assert_eq!((bounds.is_after(at(699)), bounds.is_after(at(700))), (true, false));
        assert_eq!((bounds.is_before(at(1301)), bounds.is_before(at(1300))), (true, false));
        let unknown = UtcReading::of(WallReading::new(1000, Err(Unbounded::Stale), Ok(5)));
        assert_eq!((unknown.bounds(), unknown.uncertainty()), (Err(Unbounded::Stale), Err(Unbounded::Stale)));
        assert!(unknown.bounds_if_steady().is_ok());
        let last = UtcReading::of(WallReading::new(i64::MAX, Ok(1 << 59), Ok(0))).bounds().unwrap();
        assert_eq!(last.latest, at(i64::MAX));
    }
}
