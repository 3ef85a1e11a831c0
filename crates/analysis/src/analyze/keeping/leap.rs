//! Whether a step of the wall clock was a leap second.

use crate::record::{Interval, Ntp};

/// A leap second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leap {
    /// 23:59:60 was counted: the wall clock went one second back.
    Inserted,
    /// 23:59:59 was left out: the wall clock went one second on.
    Deleted,
}

/// A second, ns.
const SECOND_NS: f64 = 1e9;
/// The kernel moves its clock by a second exactly (kernel/time/ntp.c, `second_overflow`); how far a step may be off
/// that beyond its own bounds, ns.
const EXACTLY_NS: f64 = 1000.0;

/// Whether a step of this size was a leap second, by the kernel's states before and after: it was due (`STA_INS`,
/// `TIME_INS`, or their counterparts for a deletion), or has just been carried out (`TIME_OOP`, `TIME_WAIT`), or the
/// kernel's TAI offset followed it.
pub fn leap(size: Interval, before: Option<&Ntp>, after: Option<&Ntp>) -> Option<Leap> {
    let is =
        |ns: f64| size.low <= ns + EXACTLY_NS && size.high >= ns - EXACTLY_NS && size.high - size.low < 0.1 * SECOND_NS;
    let leap = if is(-SECOND_NS) {
        Leap::Inserted
    } else if is(SECOND_NS) {
        Leap::Deleted
    } else {
        return None;
    };
    let (due, tai) = match leap {
        Leap::Inserted => (["STA_INS", "TIME_INS"], 1),
        Leap::Deleted => (["STA_DEL", "TIME_DEL"], -1),
    };
    let says = |ntp: &Ntp| {
        due.iter().any(|word| ntp.state == *word || ntp.status.iter().any(|flag| flag == word))
            || ntp.state == "TIME_WAIT"
            || (leap == Leap::Inserted && ntp.state == "TIME_OOP")
    };
    let followed =
        before.zip(after).is_some_and(|(before, after)| after.tai_offset_s.wrapping_sub(before.tai_offset_s) == tai);
    (followed || before.into_iter().chain(after).any(says)).then_some(leap)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(value: f64) -> Interval {
        Interval { value, low: value - 100.0, high: value + 100.0 }
    }

    fn ntp(state: &str, flag: &str, tai: i32) -> Ntp {
        Ntp { state: state.into(), status: vec![flag.into()], tai_offset_s: tai, ..Ntp::default() }
    }

    #[test]
    fn a_second_with_the_kernels_word_is_a_leap_second() {
        for (state, flag) in [("TIME_OOP", "STA_NANO"), ("TIME_WAIT", "STA_INS"), ("TIME_INS", "STA_INS")] {
            assert_eq!(leap(size(-1e9), None, Some(&ntp(state, flag, 37))), Some(Leap::Inserted), "{state}");
        }
        assert_eq!(leap(size(1e9), Some(&ntp("TIME_DEL", "STA_DEL", 37)), None), Some(Leap::Deleted));
        let followed = leap(size(-1e9), Some(&ntp("TIME_OK", "", 37)), Some(&ntp("TIME_OK", "", 38)));
        assert_eq!(followed, Some(Leap::Inserted));
    }

    #[test]
    fn a_second_without_it_or_another_size_was_set() {
        let idle = ntp("TIME_OK", "STA_PLL", 37);
        assert_eq!(leap(size(-1e9), Some(&idle), Some(&idle)), None);
        assert_eq!(leap(size(-1e9), None, None), None);
        assert_eq!(leap(size(1e9), Some(&ntp("TIME_INS", "STA_INS", 37)), None), None, "wrong way");
        for other in [-0.99e9, -2e9, 1e7] {
            assert_eq!(leap(size(other), None, Some(&ntp("TIME_WAIT", "STA_INS", 37))), None, "{other}");
        }
    }
}
