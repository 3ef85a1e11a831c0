//! UNIX time and its bounds.

use core::ffi::{c_char, c_int};

use truetick::{Bounds, Instant, Unbounded, UtcInstant, UtcReading};

/// Why no bound is known. Later versions may know more reasons.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TruetickUnbounded {
    /// No reason: there is a bound.
    None = 0,
    /// Nothing synchronizes the clock: no daemon has set it right since the start, since it was last set by hand, or for so
    /// long that the kernel ceased to believe it.
    Unsynchronized = 1,
    /// The hypervisor says that the counter was disrupted (a live migration, a snapshot), and nobody has said since that the
    /// clock is right again.
    Disrupted = 2,
    /// Whoever knows has not renewed its word in time.
    Stale = 3,
    /// Whoever should know can't be read, or what it says makes no sense.
    NoAnswer = 4,
    /// On this system there is nobody to ask.
    NobodySays = 5,
    /// The clock was set while its accuracy was asked for.
    JustSet = 6,
    /// The system's clocks can't be read.
    ClockFails = 7,
    /// The machine has slept, and what the kernel says of its clock's error may be from before: nobody has set it right since.
    Slept = 8,
    /// One that has no name here.
    Other = 255,
}

impl From<Unbounded> for TruetickUnbounded {
    fn from(why: Unbounded) -> Self {
        match why {
            Unbounded::Unsynchronized => Self::Unsynchronized,
            Unbounded::Disrupted => Self::Disrupted,
            Unbounded::Stale => Self::Stale,
            Unbounded::NoAnswer => Self::NoAnswer,
            Unbounded::NobodySays => Self::NobodySays,
            Unbounded::JustSet => Self::JustSet,
            Unbounded::ClockFails => Self::ClockFails,
            Unbounded::Slept => Self::Slept,
            _ => Self::Other,
        }
    }
}

/// UTC was not before the one and not after the other when the reading was made, or nobody knows: then they are `INT64_MIN`
/// and `INT64_MAX`, and `unbounded` says why.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct TruetickBounds {
    /// UTC was not before this, ns of UNIX time. A time before this was certainly past (Spanner's `TT.after`).
    pub earliest_ns: i64,
    /// UTC was not after this, ns of UNIX time. A time after this was certainly still to come (`TT.before`).
    pub latest_ns: i64,
    /// Why nothing is known; `TRUETICK_UNBOUNDED_NONE` (0): the two above hold.
    pub unbounded: TruetickUnbounded,
}

impl From<Result<Bounds, Unbounded>> for TruetickBounds {
    #[inline]
    fn from(bounds: Result<Bounds, Unbounded>) -> Self {
        match bounds {
            Ok(Bounds { earliest, latest, .. }) => Self {
                earliest_ns: earliest.as_unix_nanos(),
                latest_ns: latest.as_unix_nanos(),
                unbounded: TruetickUnbounded::None,
            },
            Err(why) => Self { earliest_ns: i64::MIN, latest_ns: i64::MAX, unbounded: why.into() },
        }
    }
}

/// A reading of the wall clock with what is known of its error. Both bounds rest on what the provider says: with the kernel,
/// that UTC is within `adjtimex`'s maximum error of `CLOCK_REALTIME`, and what the kernel has yet to remove.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct TruetickUtcReading {
    /// What the wall clock showed, ns of UNIX time.
    pub ns: i64,
    /// Between what UTC was, whatever slew the system permits.
    pub bounds: TruetickBounds,
    /// The same, if the system's clock has kept its rate to within 500 ppm for the last half a second (or the last two pauses
    /// between readings, where those are longer), and runs as fast as UTC to within 500 ppm; `truetick_epoch` tells afterwards
    /// of the first.
    pub bounds_if_steady: TruetickBounds,
}

impl From<UtcReading> for TruetickUtcReading {
    #[inline]
    fn from(reading: UtcReading) -> Self {
        Self {
            ns: reading.time().as_unix_nanos(),
            bounds: reading.bounds().into(),
            bounds_if_steady: reading.bounds_if_steady().into(),
        }
    }
}

/// Now by the system's wall clock (CLOCK_REALTIME), ns of UNIX time: from 1677 to 2262. It goes back, or ahead, when that clock
/// is set and at leap seconds; a reading shows so within 2 ms, and after a pause at once. Costs what `truetick_now_ns` costs.
#[unsafe(no_mangle)]
pub extern "C" fn truetick_utc_now_ns() -> i64 {
    UtcInstant::now().as_unix_nanos()
}

/// Now by the system's wall clock, with what is known of how far that is from UTC. Costs about 1.2 times
/// `truetick_utc_now_ns`; in each line (2 ms) one such reading asks for the clock's accuracy (with the kernel the system call
/// adjtimex twice, 1 to 6 us). Where the counter is not used, each one does.
#[unsafe(no_mangle)]
pub extern "C" fn truetick_utc_reading() -> TruetickUtcReading {
    UtcInstant::now_with_bounds().into()
}

/// The wall clock at a time of `truetick_now_ns`, past or to come (negative: before the system's start), by what the two
/// differ now: as if it had not been set in between. The bounds are those of a reading made now and what the system's clock
/// may have gone wrong between that time and now: 30 %, or 500 ppm if a second of it was right to that all the while. Leap
/// seconds in between are not in it, nor a sleep of the machine (times before it come out too late by as long), nor the
/// uncertainty of that time itself. Some 60 ns.
#[unsafe(no_mangle)]
pub extern "C" fn truetick_to_utc(ns: i64) -> TruetickUtcReading {
    Instant::from_nanos(ns).to_utc().into()
}

/// The time of `truetick_now_ns` at which the wall clock shows `utc_ns` (ns of UNIX time), past or to come, by what the two
/// differ now. How far off that is, `truetick_to_utc` says. False, and nothing written: it lies before the system's start or
/// can't be represented, or the clocks can't be read. Some 60 ns.
///
/// # Safety
/// `ns` is null or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn truetick_from_utc(utc_ns: i64, ns: *mut u64) -> bool {
    let at = UtcInstant::from_unix_nanos(utc_ns).to_instant();
    let Some(at) = at.and_then(|at| u64::try_from(at.as_nanos()).ok()) else { return false };
    if !ns.is_null() {
        // SAFETY: the caller vouches for it.
        unsafe { ns.write(at) };
    }
    true
}

/// A `TruetickUnbounded` in words, as strerror has an error. Never null; the text is there for good.
#[unsafe(no_mangle)]
pub extern "C" fn truetick_unbounded_text(why: c_int) -> *const c_char {
    // Their numbers in the header.
    let text = match why {
        0 => c"there is a bound",
        1 => c"nothing synchronizes the clock",
        2 => c"the counter was disrupted, and the clock not set right since",
        3 => c"whoever knows the clock's error has not renewed its word",
        4 => c"whoever should know the clock's error gives no answer that makes sense",
        5 => c"nobody says here how far the clock is off",
        6 => c"the clock has just been set",
        7 => c"the system's clocks can't be read",
        8 => c"the machine has slept, and nobody has set the clock right since",
        _ => c"for a reason that has no name here",
    };
    text.as_ptr()
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    #[test]
    fn each_reason_is_rusts() {
        for (number, why) in [
            (1, Unbounded::Unsynchronized),
            (2, Unbounded::Disrupted),
            (3, Unbounded::Stale),
            (4, Unbounded::NoAnswer),
            (5, Unbounded::NobodySays),
            (6, Unbounded::JustSet),
            (7, Unbounded::ClockFails),
            (8, Unbounded::Slept),
        ] {
            let bounds = TruetickBounds::from(Err(why));
            assert_eq!((bounds.unbounded as c_int, bounds.earliest_ns, bounds.latest_ns), (number, i64::MIN, i64::MAX));
            // SAFETY: a text that is there for good.
            let text = unsafe { CStr::from_ptr(truetick_unbounded_text(number)) };
            assert_eq!(text.to_str(), Ok(why.to_string().as_str()));
        }
        assert_eq!(TruetickUnbounded::None as c_int, 0);
        assert!([-1, 9, 255, c_int::MAX].iter().all(|&why| !truetick_unbounded_text(why).is_null()));
    }

    #[test]
    fn times_far_off_are_told_and_null_is_no_place_to_write() {
        let mut ns = 5;
        for utc_ns in [i64::MIN, 0, i64::MAX] {
            // SAFETY: `ns` is there.
            let known = unsafe { truetick_from_utc(utc_ns, &raw mut ns) };
            assert_eq!((known, ns == 5), (utc_ns == i64::MAX, utc_ns != i64::MAX), "{utc_ns}: {ns}");
        }
        let now = truetick_utc_now_ns();
        // SAFETY: null may be given.
        assert!(unsafe { truetick_from_utc(now, core::ptr::null_mut()) });
        let start = truetick_to_utc(0).ns;
        assert!(start < now && truetick_to_utc(Instant::now().as_nanos()).ns >= now - 1_000_000);
        // An hour before the system's start; the two are read anew.
        let before = truetick_to_utc(-3_600_000_000_000).ns;
        assert!((start - before).abs_diff(3_600_000_000_000) < 1_000_000, "{before} {start}");
    }
}
