//! What clock-bound's daemon writes in its shared memory, versions 1 and 2 (clock-bound's docs/PROTOCOL.md and
//! clock-bound-shm). Pure, and made for bytes that say anything at all.

use crate::{
    os,
    wall::{Accuracy, Leap, Unbounded, Within},
};

/// Bytes of version 2, the longer one.
pub(super) const LEN: usize = 80;
/// Bytes of version 1.
const LEN_1: usize = 72;
/// Two words of 32 bits, in the machine's own order.
const MAGIC: [u32; 2] = [0x414d_5a4e, 0x4342_0200];
/// The daemon's stamps are of a coarse clock, which may be seen to lead the other one by a little, ns.
const BLUR_NS: i128 = 1_000_000;
/// A drift of 100 % is no drift (clock-bound's own limit), parts in 10^9.
const DRIFTS: u32 = 1_000_000_000;

/// What was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Said {
    generation: u16,
    as_of: i128,
    void_after: i128,
    bound: i64,
    drift_ppb: u32,
    status: i32,
    /// The disruption marker that the daemon has seen last, where it looks.
    pub(super) marker: Option<u64>,
}

impl Said {
    /// Whether the counter was disrupted and the daemon has not seen it, by the VMClock's marker when that was opened and now.
    /// A daemon that follows no marker never says that it has.
    pub(super) fn has_missed(&self, [opened, now]: [u64; 2]) -> bool {
        now != self.marker.unwrap_or(opened)
    }

    /// `None`: not what the daemon writes, or not yet, or being written just now.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let size = u32_at(bytes, 8)? as usize;
        let generation = u16_at(bytes, 14)?;
        if [u32_at(bytes, 0)?, u32_at(bytes, 4)?] != MAGIC || generation == 0 || generation & 1 == 1 {
            return None;
        }
        let (least, drift, status, marker) = match u16_at(bytes, 12)? {
            1 => (LEN_1, 56, 64, None),
            2 => (LEN, 64, 68, (*bytes.get(72)? == 1).then_some(56)),
            _ => return None,
        };
        Some(Self {
            generation,
            as_of: timespec(bytes, 16)?,
            void_after: timespec(bytes, 32)?,
            bound: i64_at(bytes, 48)?,
            drift_ppb: u32_at(bytes, drift)?,
            status: u32_at(bytes, status)? as i32,
            marker: marker.and_then(|at| i64_at(bytes, at)).map(|marker| marker as u64),
        })
        .filter(|_| size.min(bytes.len()) >= least)
    }

    /// How far CLOCK_REALTIME is off when CLOCK_MONOTONIC shows `now` ns.
    pub(super) fn accuracy(&self, now: u64) -> Accuracy {
        let error = match self.status {
            // Synchronized, or free running, which the bound allows for.
            1 | 2 => self.error(i128::from(now)),
            3 => Err(Unbounded::Disrupted),
            0 => Err(Unbounded::Unsynchronized),
            _ => Err(Unbounded::NoAnswer),
        };
        Accuracy { error, leap: Leap::None }
    }

    fn error(&self, now: i128) -> Result<Within, Unbounded> {
        // The answer is used for a line.
        if now + i128::from(os::period_ns()) > self.void_after {
            return Err(Unbounded::Stale);
        }
        let age = now - self.as_of;
        if age < -BLUR_NS || self.drift_ppb >= DRIFTS {
            return Err(Unbounded::NoAnswer);
        }
        let grown = age.max(0) * i128::from(self.drift_ppb) / 1_000_000_000 + 1;
        let bound = u64::try_from(self.bound).map_err(|_| Unbounded::NoAnswer)?;
        let ns = u64::try_from(i128::from(bound) + grown).map_err(|_| Unbounded::NoAnswer)?;
        Ok(Within { ns, growth_ppb: self.drift_ppb })
    }
}

/// ns; `None` where it is no time.
fn timespec(bytes: &[u8], at: usize) -> Option<i128> {
    let (seconds, ns) = (i64_at(bytes, at)?, i64_at(bytes, at + 8)?);
    (0..1_000_000_000).contains(&ns).then(|| i128::from(seconds) * 1_000_000_000 + i128::from(ns))
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    array(bytes, at).map(u16::from_ne_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(u32::from_ne_bytes)
}

fn i64_at(bytes: &[u8], at: usize) -> Option<i64> {
    array(bytes, at).map(i64::from_ne_bytes)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECOND: u64 = 1_000_000_000;

    /// A segment of this version: as of second 100, void after second 1100, 10 µs and 1 ppm.
    pub(in super::super) fn segment(version: u16) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(MAGIC.map(u32::to_ne_bytes).concat());
        bytes.extend((if version == 1 { 72u32 } else { 80 }).to_ne_bytes());
        bytes.extend([version, 8].map(u16::to_ne_bytes).concat());
        bytes.extend([100i64, 0, 1100, 0, 10_000].map(i64::to_ne_bytes).concat());
        if version == 1 {
            bytes.extend([1000u32, 0, 1, 0].map(u32::to_ne_bytes).concat());
        } else {
            bytes.extend(77u64.to_ne_bytes());
            bytes.extend([1000u32, 1].map(u32::to_ne_bytes).concat());
            bytes.extend([1, 0, 0, 0, 0, 0, 0, 0]);
        }
        bytes
    }

    fn with(version: u16, at: usize, value: &[u8]) -> Option<Said> {
        let mut bytes = segment(version);
        bytes[at..at + value.len()].copy_from_slice(value);
        Said::of(&bytes)
    }

    #[test]
    fn both_versions_are_read() {
        for version in [1, 2] {
            let said = Said::of(&segment(version)).unwrap();
            assert_eq!(said.marker, (version == 2).then_some(77));
            let at = |s: u64| said.accuracy(s * SECOND).error;
            assert_eq!(at(100), Ok(Within { ns: 10_001, growth_ppb: 1000 }));
            assert_eq!(at(102), Ok(Within { ns: 12_001, growth_ppb: 1000 }));
            assert_eq!(at(1099), Ok(Within { ns: 1_009_001, growth_ppb: 1000 }));
            assert_eq!((at(1100), at(99)), (Err(Unbounded::Stale), Err(Unbounded::NoAnswer)));
        }
    }

    #[test]
    fn a_disruption_that_the_daemon_has_not_seen() {
        let [one, two] = [1, 2].map(|version| Said::of(&segment(version)).unwrap());
        // Version 1 knows of none: whatever comes after the opening was missed.
        assert!(!one.has_missed([5, 5]) && one.has_missed([5, 6]));
        assert!(!two.has_missed([5, 77]) && two.has_missed([77, 78]));
    }

    #[test]
    fn what_is_not_said_is_not_taken() {
        for version in [1, 2] {
            // Another magic; too short; another version; never written; being written; no time.
            for (at, byte) in [(0, 0), (8, 64), (12, 3), (14, 0), (14, 9), (31, 0xff)] {
                assert_eq!(with(version, at, &[byte]), None, "{at}");
            }
            let (status, drift) = if version == 1 { (64, 56) } else { (68, 64) };
            let error = |at, value: &[u8]| with(version, at, value).unwrap().accuracy(101 * SECOND).error;
            assert_eq!(error(status, &[0]), Err(Unbounded::Unsynchronized));
            assert!(error(status, &[2]).is_ok());
            assert_eq!(error(status, &[3]), Err(Unbounded::Disrupted));
            assert_eq!(error(status, &[4]), Err(Unbounded::NoAnswer));
            assert_eq!(error(drift, &DRIFTS.to_ne_bytes()), Err(Unbounded::NoAnswer));
            assert_eq!(error(48, &(-1i64).to_ne_bytes()), Err(Unbounded::NoAnswer));
            assert_eq!(Said::of(&segment(version)[..71]), None);
        }
    }

    proptest! {
        #[test]
        #[cfg_attr(miri, ignore = "arithmetic only, and slow there")]
        fn no_bytes_are_too_strange(bytes in proptest::collection::vec(any::<u8>(), 0..100), now: u64, good in 0usize..80) {
            let mut whole = segment(2);
            let n = whole.len();
            // Right up to somewhere.
            for (to, from) in whole[good.min(n)..].iter_mut().zip(&bytes) {
                *to = *from;
            }
            for bytes in [&bytes, &whole] {
                if let Some(said) = Said::of(bytes) {
                    let _ = said.accuracy(now);
                }
            }
        }
    }
}
