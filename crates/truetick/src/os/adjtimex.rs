//! Linux's word on its wall clock: `adjtimex` (kernel/time/ntp.c).
//!
//! A system call without libc: `errno` stays as it is. Where a filter forbids it, there is no answer.

use super::raw;
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
/// Beyond this it calls the clock unsynchronized (`NTP_PHASE_LIMIT`), µs.
const LIMIT_US: u64 = 16_000_000;

/// Fields of `struct __kernel_timex` of 64-bit systems, whose words they are: `offset`, `maxerror`, `status` and `tai`.
const OFFSET: usize = 1;
const MAXERROR: usize = 3;
const STATUS: usize = 5;
const TAI: usize = 20;

/// How far the kernel's wall clock is from UTC by its own word. About 0.3 µs.
pub(crate) fn accuracy() -> Accuracy {
    let mut words = [0; 26];
    let state = raw::adjtimex(&mut words);
    accuracy_of(state, &words)
}

/// TAI - UTC, s, where a daemon has told the kernel.
pub(crate) fn tai_offset() -> Option<i32> {
    let mut words = [0; 26];
    let state = raw::adjtimex(&mut words);
    // The kernel's own is 0 until then; it has been at least 10 s since 1972.
    Some(low(words[TAI]) as i32).filter(|&s| state >= 0 && s != 0)
}

/// The `int` that a word begins with in memory; padding follows it.
fn low(word: u64) -> u32 {
    if cfg!(target_endian = "little") { word as u32 } else { (word >> 32) as u32 }
}

fn accuracy_of(state: isize, words: &[u64; 26]) -> Accuracy {
    let (status, maxerror) = (low(words[STATUS]), words[MAXERROR]);
    let leap = match state {
        _ if status & DEL != 0 => Leap::Delete,
        TIME_OOP | TIME_WAIT => Leap::Insert,
        _ if status & INS != 0 => Leap::Insert,
        _ => Leap::None,
    };
    let error = if state < 0 {
        Err(Unbounded::NoAnswer)
    } else if state == TIME_ERROR || status & UNSYNC != 0 || maxerror > LIMIT_US {
        Err(Unbounded::Unsynchronized)
    } else {
        // The next second may begin now, and the bound not be less than the kernel's then.
        let ns = (maxerror + BUMP_US) * 1000 + unremoved_ns(words);
        Ok(Within { ns, growth_ppb: BUMP_US as u32 * 1000 })
    };
    Accuracy { error, leap }
}

/// What may remain of an offset (ADJ_OFFSET) that a daemon has told the kernel to remove, ns: not in the maximum error of
/// one that tells 0 for that (systemd-timesyncd). As a second begins, the kernel takes off what it removes in it, at most a
/// quarter (`second_overflow`, `ntp_offset_chunk`), so that up to 4/3 of what it tells remain.
fn unremoved_ns(words: &[u64; 26]) -> u64 {
    let offset = (words[OFFSET] as i64).unsigned_abs();
    let unit = if low(words[STATUS]) & NANO != 0 { 1 } else { 1000 };
    // The kernel's is half a second at most.
    offset.saturating_mul(unit).min(1_000_000_000).div_ceil(3) * 4
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(status: u64, maxerror: u64) -> [u64; 26] {
        let mut words = [0; 26];
        (words[STATUS], words[MAXERROR]) = (status, maxerror);
        words
    }

    #[test]
    fn the_kernels_word_is_taken() {
        let of = |state, status, maxerror| accuracy_of(state, &words(status, maxerror));
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
        let of = |offset: i64, status| {
            let mut words = words(status, 0);
            words[OFFSET] = offset as u64;
            accuracy_of(0, &words).error.map(|within| within.ns)
        };
        assert_eq!(of(0, 0x2001), Ok(500_000));
        assert_eq!((of(300_000_000, 0x2001), of(-300_000_000, 0x2001)), (Ok(400_500_000), Ok(400_500_000)));
        assert_eq!(of(-300_000, 1), Ok(400_500_000));
        // Whatever a kernel says.
        assert!(of(i64::MIN, 1).is_ok_and(|ns| ns < 2_000_000_000));
    }

    #[test]
    fn the_fields_are_where_libc_has_them() {
        let offset = |at: usize| at / 8;
        assert_eq!(offset(core::mem::offset_of!(libc::timex, offset)), OFFSET);
        assert_eq!(offset(core::mem::offset_of!(libc::timex, maxerror)), MAXERROR);
        assert_eq!(offset(core::mem::offset_of!(libc::timex, status)), STATUS);
        assert_eq!(offset(core::mem::offset_of!(libc::timex, tai)), TAI);
        assert_eq!(core::mem::size_of::<libc::timex>(), 26 * 8);
    }
}
