//! What a VMClock's page says: `struct vmclock_abi` (include/uapi/linux/vmclock-abi.h), in 64-bit words.
//!
//! Pure, and made for pages that say anything at all.

use core::sync::atomic::{Ordering::Acquire, fence};

use crate::wall::Leap;

/// Words that the structure fills as it is known here.
pub(super) const WORDS: usize = 14;
const MAGIC: u32 = 0x4b4c_4356;
const VERSION: u16 = 1;
/// Of an update that never ends (a hypervisor that is gone) a reader does not wait for the end.
const TRIES: usize = 1000;

const TAI_OFFSET_VALID: u64 = 1 << 0;
const PERIOD_MAXERROR_VALID: u64 = 1 << 4;
const TIME_MAXERROR_VALID: u64 = 1 << 6;
const SYNCHRONIZED: u8 = 2;
/// The counter that the program reads, in the page's numbers.
const COUNTER: u8 = if cfg!(target_arch = "x86_64") { 1 } else { 0 };

/// Where the disruption marker stands.
pub(super) const MARKER: usize = 2;

/// A whole copy of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Copy {
    words: [u64; WORDS],
}

/// UTC by the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Utc {
    /// UNIX time, ns.
    pub(super) ns: i64,
    /// How far off that may be, ns.
    pub(super) error: u64,
}

impl Copy {
    /// By `load`, which gives a word as it stands in memory. `None`: it is being updated all the time, or is no VMClock's.
    pub(super) fn take(load: impl Fn(usize) -> u64) -> Option<Self> {
        for _ in 0..TRIES {
            let before = u64::from_le(load(1));
            fence(Acquire);
            let words = core::array::from_fn(|i| u64::from_le(load(i)));
            fence(Acquire);
            // The sequence count is the upper half, and odd during an update.
            if before >> 32 & 1 == 0 && u64::from_le(load(1)) == before && words[1] == before {
                return Some(Self { words }).filter(Self::is_one);
            }
        }
        None
    }

    fn is_one(&self) -> bool {
        let [first, second, ..] = self.words;
        let size = (first >> 32) as usize;
        first as u32 == MAGIC && size >= 8 * (MARKER + 1) && second as u16 == VERSION
    }

    fn byte(&self, at: usize) -> u8 {
        self.words[at / 8].to_le_bytes()[at % 8]
    }

    /// It stays the same until the page is written again.
    pub(super) fn sequence(&self) -> u64 {
        self.words[1] >> 32
    }

    /// Changes when the counter was disrupted.
    pub(super) fn marker(&self) -> u64 {
        self.words[MARKER]
    }

    /// Whether a leap second is near.
    pub(super) fn leap(&self) -> Leap {
        match self.byte(38) {
            1 | 3 | 4 => Leap::Insert,
            2 | 5 => Leap::Delete,
            _ => Leap::None,
        }
    }

    /// UTC when the counter shows `ticks`. `None`: the page does not say, or not for this counter, or not with a bound.
    pub(super) fn utc(&self, ticks: u64) -> Option<Utc> {
        let [first, _, _, flags, status, counter, period, _, period_off, seconds, fraction, _, off, _] = self.words;
        let needed = PERIOD_MAXERROR_VALID | TIME_MAXERROR_VALID;
        let whole = first >> 32 >= 8 * WORDS as u64 && flags & needed == needed;
        if !whole || self.byte(34) != SYNCHRONIZED || self.byte(10) != COUNTER {
            return None;
        }
        let to_utc = match self.byte(11) {
            0 => 0,
            // TAI, with 16 bits of how far that is ahead.
            1 if flags & TAI_OFFSET_VALID != 0 => i64::from((status >> 32) as i16),
            _ => return None,
        };
        let run = ticks.wrapping_sub(counter) as i64;
        // In units of 2^-64 s.
        let scaled = |rate: u64, ticks: i64| {
            let product = i128::from(ticks).checked_mul(i128::from(rate))?;
            Some(product >> u32::from(self.byte(39)).min(127))
        };
        let since = scaled(period, run)?.checked_add(i128::from(fraction))?;
        let seconds =
            i64::try_from(seconds).ok()?.checked_add(i64::try_from(since >> 64).ok()?)?.checked_sub(to_utc)?;
        let ns = ((u128::from(since as u64) * 1_000_000_000) >> 64) as i64;
        let grown = u64::try_from(nanos(scaled(period_off, run.checked_abs()?)?)?).ok()?;
        Some(Utc {
            ns: seconds.checked_mul(1_000_000_000)?.checked_add(ns)?,
            error: off.checked_add(grown)?.checked_add(2)?,
        })
    }
}

/// Units of 2^-64 s, as ns.
fn nanos(units: i128) -> Option<i128> {
    Some((units >> 32).checked_mul(1_000_000_000)? >> 32)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// 1 GHz: 2^64 / 10^9, with 4 more bits.
    const PERIOD: u64 = ((1u128 << 68) / 1_000_000_000) as u64;

    pub(in crate::provider) fn page() -> [u64; WORDS] {
        let mut bytes = [0u8; 8 * WORDS];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(0, b"VCLK");
        put(4, &0x140u32.to_le_bytes());
        put(8, &[1, 0, COUNTER, 0]);
        put(12, &6u32.to_le_bytes());
        put(16, &77u64.to_le_bytes());
        put(24, &(PERIOD_MAXERROR_VALID | TIME_MAXERROR_VALID).to_le_bytes());
        put(34, &[SYNCHRONIZED, 0, 37, 0, 0, 4]);
        put(40, &1000u64.to_le_bytes());
        put(48, &PERIOD.to_le_bytes());
        // 1 ppm.
        put(64, &(PERIOD / 1_000_000).to_le_bytes());
        put(72, &1_800_000_000u64.to_le_bytes());
        put(80, &(1u64 << 63).to_le_bytes());
        put(96, &5000u64.to_le_bytes());
        core::array::from_fn(|i| u64::from_ne_bytes(bytes[8 * i..8 * i + 8].try_into().unwrap()))
    }

    fn copy(words: [u64; WORDS]) -> Option<Copy> {
        Copy::take(|i| words[i])
    }

    /// With a byte changed.
    fn with(at: usize, byte: u8) -> Option<Copy> {
        let mut words = page();
        let mut bytes = words[at / 8].to_ne_bytes();
        bytes[at % 8] = byte;
        words[at / 8] = u64::from_ne_bytes(bytes);
        copy(words)
    }

    #[test]
    fn time_is_by_the_counter() {
        let copy = copy(page()).unwrap();
        assert_eq!((copy.marker(), copy.sequence()), (77, 6));
        let half = 1_800_000_000_500_000_000;
        let at = |ticks| copy.utc(ticks).unwrap();
        assert_eq!(at(1000), Utc { ns: half, error: 5002 });
        // A second later and a second before.
        let later = at(1_000_001_000);
        assert!((later.ns - half - 1_000_000_000).abs() <= 1 && (5999..=6002).contains(&later.error), "{later:?}");
        let before = at(1000u64.wrapping_sub(1_000_000_000));
        assert!((half - before.ns - 1_000_000_000).abs() <= 1 && before.error == later.error, "{before:?}");
    }

    #[test]
    fn tai_is_not_utc() {
        let mut words = page();
        words[1] |= u64::from_le(1 << 24);
        assert_eq!(copy(words).unwrap().utc(1000), None);
        words[3] |= u64::from_le(TAI_OFFSET_VALID);
        assert_eq!(copy(words).unwrap().utc(1000).unwrap().ns, 1_799_999_963_500_000_000);
    }

    #[test]
    fn what_is_not_said_is_not_taken() {
        // Another magic, another version, in the middle of an update.
        for (at, byte) in [(0, 0), (8, 2), (12, 7)] {
            assert_eq!(with(at, byte), None, "{at}");
        }
        // Too small for a time; no bound; not synchronized; smeared; no counter.
        for (at, byte) in [(5, 0), (24, 0), (34, 3), (11, 3), (10, 0xff)] {
            assert_eq!(with(at, byte).unwrap().utc(1000), None, "{at}");
        }
        for (byte, leap) in [(0, Leap::None), (1, Leap::Insert), (2, Leap::Delete), (3, Leap::Insert), (9, Leap::None)]
        {
            assert_eq!(with(38, byte).unwrap().leap(), leap);
        }
    }

    #[test]
    fn a_page_that_changes_is_read_again() {
        let reads = core::cell::Cell::new(0);
        let words = page();
        let copy = Copy::take(|i| {
            reads.set(reads.get() + 1);
            // During the first copy an update begins.
            if i == 1 && (3..20).contains(&reads.get()) { words[1] + u64::from_le(1 << 32) } else { words[i] }
        });
        assert!(copy.is_some() && reads.get() > WORDS + 2);
    }

    proptest! {
        #[test]
        #[cfg_attr(miri, ignore = "arithmetic only, and slow there")]
        fn no_page_is_too_strange(words: [u64; WORDS], ticks: u64, like in any::<u8>()) {
            let mut words = words;
            let good = page();
            // A page that is right in parts gets further.
            for (i, word) in words.iter_mut().enumerate().take(8) {
                if like >> i & 1 == 0 {
                    *word = good[i];
                }
            }
            if let Some(copy) = copy(words) {
                let _ = (copy.utc(ticks), copy.leap(), copy.marker());
            }
        }
    }
}
