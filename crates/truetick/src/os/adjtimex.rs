//! Linux's word on its wall clock: `adjtimex` (kernel/time/ntp.c).
//!
//! A system call without libc: `errno` stays as it is. Where a filter forbids it, there is no answer.

use super::{raw, rest, slept};
use crate::wall::{Accuracy, Leap, Unbounded, Within};

/// The clock counts as unsynchronized (`STA_UNSYNC`), or another error that is told by the result alone.
const UNSYNC: u32 = 0x40;
const TIME_ERROR: isize = 5;
/// A leap second is due at the end of the day (`STA_INS`, `STA_DEL`), or going on (`TIME_OOP`), or just over (`TIME_WAIT`).
const INS: u32 = 0x10;
const DEL: u32 = 0x20;
const TIME_OOP: isize = 3;
const TIME_WAIT: isize = 4;
/// The offset that the kernel has yet to remove is in ns (`STA_NANO`), else in µs.
const NANO: u32 = 0x2000;
/// In each second, the kernel adds as much to its maximum error, at once (`second_overflow`: MAXFREQ / 1000), µs. 500 ppm.
const BUMP_US: u64 = 500;
const GROWTH_PPB: u32 = 500_000;
/// Beyond this it calls the clock unsynchronized (`NTP_PHASE_LIMIT`), µs.
const LIMIT_US: u64 = 16_000_000;
/// 2^32 ns, and half a second less, as whole µs.
const WRAP_US: i64 = 4_294_967;
const CUT_US: i64 = WRAP_US - 500_000;

/// Fields of `struct __kernel_timex` of 64-bit systems, whose words they are: `modes`, `offset`, `maxerror`, `status` and
/// `tai`.
const MODES: usize = 0;
const OFFSET: usize = 1;
const MAXERROR: usize = 3;
const STATUS: usize = 5;
const TAI: usize = 20;

/// What is asked for: by 0 all, with ADJ_OFFSET's rest as the offset; by the other (`ADJ_OFFSET_SS_READ`) the same with
/// adjtime's. Neither changes anything, so anybody may ask.
const ALL: u32 = 0;
const ADJTIME: u32 = 0xa001;

/// An answer: the result, negative where there is none, and the structure.
#[derive(Clone, Copy)]
struct Said(isize, [u64; 26]);

impl Said {
    fn to(question: u32) -> Self {
        let mut words = [0; 26];
        words[MODES] = if cfg!(target_endian = "little") { question.into() } else { u64::from(question) << 32 };
        Self(raw::adjtimex(&mut words), words)
    }

    fn status(&self) -> u32 {
        low(self.1[STATUS])
    }

    /// The maximum error, µs. An error itself where there is no bound.
    fn maxerror(&self) -> Result<u64, Unbounded> {
        let maxerror = self.1[MAXERROR];
        if self.0 < 0 {
            Err(Unbounded::NoAnswer)
        } else if self.0 == TIME_ERROR || self.status() & UNSYNC != 0 || maxerror > LIMIT_US {
            Err(Unbounded::Unsynchronized)
        } else {
            Ok(maxerror)
        }
    }

    fn leap(&self) -> Leap {
        match self.0 {
            _ if self.status() & DEL != 0 => Leap::Delete,
            TIME_OOP | TIME_WAIT => Leap::Insert,
            _ if self.status() & INS != 0 => Leap::Insert,
            _ => Leap::None,
        }
    }

    /// To [`ALL`]: what may remain of an offset (ADJ_OFFSET) that a daemon has told the kernel to remove, ns. It is not in the
    /// maximum error of one that tells 0 for that (systemd-timesyncd). As a second begins, the kernel takes off what it
    /// removes in it, at most a quarter (`second_overflow`, `ntp_offset_chunk`), so that up to 4/3 of what it tells remain.
    fn offset_ns(&self) -> u64 {
        let offset = self.1[OFFSET] as i64;
        let ns = match self.status() & NANO {
            // Older kernels cut it to 32 bits of ns before they made µs of it: a negative one shows as 4.29 s less.
            0 if (CUT_US..=WRAP_US).contains(&offset) => (WRAP_US + 1 - offset) as u64 * 1000,
            0 => offset.unsigned_abs().saturating_mul(1000),
            _ => offset.unsigned_abs(),
        };
        // The kernel's is half a second at most.
        ns.min(1_000_000_000).div_ceil(3) * 4
    }

    /// To [`ADJTIME`]: what remains of adjtime(3), ns: not in the maximum error of a daemon that tells 0 (OpenNTPD). Here too
    /// a second's part, 500 µs at most (`MAX_TICKADJ`), is taken off as it begins. But that much is in [`BUMP_US`], which is
    /// for the drift in the same second: as of that x is spent, x of the 500 µs are removed.
    fn adjtime_ns(&self) -> u64 {
        (self.1[OFFSET] as i64).unsigned_abs().saturating_mul(1000)
    }
}

/// How far the kernel's wall clock is from UTC by its own word. Two system calls; one where there is no bound.
pub(crate) fn accuracy() -> Accuracy {
    let seen = slept::seen();
    let all = Said::to(ALL);
    if slept::is_outlived(seen, all.maxerror()) {
        return Accuracy { error: all.maxerror().and(Err(Unbounded::Slept)), leap: all.leap() };
    }
    accuracy_of(&all, || Said::to(ADJTIME), rest::after)
}

/// TAI - UTC, s, where a daemon has told the kernel.
pub(crate) fn tai_offset() -> Option<i32> {
    let Said(state, words) = Said::to(ALL);
    // The kernel's own is 0 until then; it has been at least 10 s since 1972.
    Some(low(words[TAI]) as i32).filter(|&s| state >= 0 && s != 0)
}

/// The `int` that a word begins with in memory; padding follows it.
fn low(word: u64) -> u32 {
    if cfg!(target_endian = "little") { word as u32 } else { (word >> 32) as u32 }
}

/// From both answers, one after the other, and what may remain of an offset after such a rest and maximum error. A daemon may
/// have spoken in between: the greater maximum error is never less than the one that goes with either rest, as long as it did
/// not change both rests at once.
fn accuracy_of(all: &Said, adjtime: impl FnOnce() -> Said, remains: impl FnOnce(u64, u64) -> u64) -> Accuracy {
    let error = all.maxerror().and_then(|us| {
        let adjtime = adjtime();
        // The next second may begin now, and the bound not be less than the kernel's then.
        let ns = (us.max(adjtime.maxerror()?) + BUMP_US) * 1000;
        Ok(Within {
            ns: ns.saturating_add(remains(all.offset_ns(), us)).saturating_add(adjtime.adjtime_ns()),
            growth_ppb: GROWTH_PPB,
        })
    });
    Accuracy { error, leap: all.leap() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where nothing was told before.
    fn of_both(all: &Said, adjtime: &Said) -> Accuracy {
        accuracy_of(all, || *adjtime, |rest, _| rest)
    }

    fn said(state: isize, status: u64, maxerror: u64, offset: i64) -> Said {
        let mut words = [0; 26];
        (words[STATUS], words[MAXERROR], words[OFFSET]) = (status, maxerror, offset as u64);
        Said(state, words)
    }

    #[test]
    fn the_kernels_word_is_taken() {
        let of = |state, status, maxerror| {
            let said = said(state, status, maxerror, 0);
            of_both(&said, &said)
        };
        let good = Ok(Within { ns: 1_700_000, growth_ppb: 500_000 });
        assert_eq!(of(0, 0x2001, 1200), Accuracy { error: good, leap: Leap::None });
        assert_eq!(of(1, 0x2011, 1200), Accuracy { error: good, leap: Leap::Insert });
        assert_eq!(of(2, 0x2021, 1200), Accuracy { error: good, leap: Leap::Delete });
        assert_eq!(of(3, 0x2011, 1200).leap, Leap::Insert);
        assert_eq!(of(4, 0x2001, 1200).leap, Leap::Insert);
        assert_eq!(of(5, 0x2001, 1200).error, Err(Unbounded::Unsynchronized));
        assert_eq!(of(0, 0x2041, 1200).error, Err(Unbounded::Unsynchronized));
        assert_eq!(of(0, 0x2001, 16_000_001).error, Err(Unbounded::Unsynchronized));
        assert_eq!(of(0, 0x2001, u64::MAX).error, Err(Unbounded::Unsynchronized));
        assert_eq!(of(-1, 0, 0).error, Err(Unbounded::NoAnswer));
    }

    #[test]
    fn an_offset_that_is_still_removed_is_in_the_bound() {
        let of = |offset, status| {
            let [all, adjtime] = [offset, 0].map(|offset| said(0, status, 0, offset));
            of_both(&all, &adjtime).error.map(|within| within.ns)
        };
        assert_eq!(of(0, 0x2001), Ok(500_000));
        assert_eq!((of(300_000_000, 0x2001), of(-300_000_000, 0x2001)), (Ok(400_500_000), Ok(400_500_000)));
        assert_eq!(of(-300_000, 1), Ok(400_500_000));
        // As older kernels show it, rounded down: -300,000 µs and -1 µs.
        assert_eq!(of(((1 << 32) - 300_000_000) / 1000, 1).map(|ns| ns / 10_000), Ok(40_050));
        assert!((500_000..=504_000).contains(&of(((1 << 32) - 1000) / 1000, 1).unwrap()));
        // Whatever a kernel says.
        assert!(of(i64::MIN, 1).is_ok_and(|ns| ns < 2_000_000_000));
    }

    #[test]
    fn what_adjtime_has_yet_to_remove_is_in_the_bound() {
        let of = |offset: i64, adjust: i64, maxerrors: [u64; 2]| {
            let (all, adjtime) = (said(0, 0x2001, maxerrors[0], offset), said(0, 0x2001, maxerrors[1], adjust));
            of_both(&all, &adjtime).error.map(|within| within.ns)
        };
        // In µs, whatever the status says of the other.
        assert_eq!((of(0, 300, [0; 2]), of(0, -300, [0; 2])), (Ok(800_000), Ok(800_000)));
        assert_eq!(of(3000, 20_000_000, [7, 5]), Ok(507_000 + 4000 + 20_000_000_000));
        assert_eq!(of(0, 0, [5, 7]), Ok(507_000));
        assert_eq!(of(0, i64::MIN, [0; 2]), Ok(u64::MAX));
        let [good, gone] = [0, 5].map(|state| said(state, 0x2001, 0, 0));
        assert_eq!(of_both(&good, &gone).error, Err(Unbounded::Unsynchronized));
    }

    #[test]
    fn asking_is_free_to_anybody() {
        // A filter of system calls may answer with an error, to both alike.
        let [all, adjtime] = [ALL, ADJTIME].map(Said::to);
        assert_eq!((all.0 < 0, all.1[TAI]), (adjtime.0 < 0, adjtime.1[TAI]));
    }

    #[test]
    fn the_fields_are_where_libc_has_them() {
        let offset = |at: usize| at / 8;
        assert_eq!(offset(core::mem::offset_of!(libc::timex, modes)), MODES);
        assert_eq!(offset(core::mem::offset_of!(libc::timex, offset)), OFFSET);
        assert_eq!(offset(core::mem::offset_of!(libc::timex, maxerror)), MAXERROR);
        assert_eq!(offset(core::mem::offset_of!(libc::timex, status)), STATUS);
        assert_eq!(offset(core::mem::offset_of!(libc::timex, tai)), TAI);
        assert_eq!(ADJTIME, libc::ADJ_OFFSET_SS_READ);
        assert_eq!(core::mem::size_of::<libc::timex>(), 26 * 8);
    }
}
