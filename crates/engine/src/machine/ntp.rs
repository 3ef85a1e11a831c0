//! The kernel's clock discipline.

use clockscope_analysis::record::Ntp;

/// Status bits by number (`include/uapi/linux/timex.h`), each behind STA_.
const STATUS: &str = "PLL PPSFREQ PPSTIME FLL INS DEL UNSYNC FREQHOLD PPSSIGNAL PPSJITTER PPSWANDER PPSERROR CLOCKERR NANO \
                      MODE CLK";

/// What `adjtimex` returns, by number; the last one is also called TIME_BAD.
const STATES: [&str; 6] = ["TIME_OK", "TIME_INS", "TIME_DEL", "TIME_OOP", "TIME_WAIT", "TIME_ERROR"];

const UNSYNC: i32 = 1 << 6;
const NANO: i32 = 1 << 13;
const ERROR: i32 = 5;

/// The fields of `struct timex` that are used.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Timex {
    /// What the call returned.
    pub(super) state: i32,
    /// Bits, see [`STATUS`].
    pub(super) status: i32,
    /// Frequency correction, 2^-16 ppm.
    pub(super) frequency: i64,
    /// Offset, ns with STA_NANO, else µs.
    pub(super) offset: i64,
    /// Maximum error, µs.
    pub(super) max_error: i64,
    /// Estimated error, µs.
    pub(super) est_error: i64,
    /// TAI − UTC, s.
    pub(super) tai: i32,
    /// Length of a tick, µs.
    pub(super) tick: i64,
}

/// In the record's units, which are `adjtimex(2)`'s scaled.
pub(super) fn decode(timex: &Timex) -> Ntp {
    let has = |bit: i32| timex.status & bit != 0;
    let status = STATUS.split(' ').enumerate().filter(|(bit, _)| has(1 << bit));
    let state = usize::try_from(timex.state).ok().and_then(|state| STATES.get(state));
    Ntp {
        synchronised: !has(UNSYNC) && timex.state != ERROR,
        status: status.map(|(_, name)| format!("STA_{name}")).collect(),
        state: state.map_or_else(|| timex.state.to_string(), |name| (*name).to_owned()),
        frequency_ppm: timex.frequency as f64 / 65536.0,
        offset_ns: timex.offset as f64 * if has(NANO) { 1.0 } else { 1e3 },
        max_error_ns: timex.max_error as f64 * 1e3,
        est_error_ns: timex.est_error as f64 * 1e3,
        tai_offset_s: timex.tai,
        tick_us: Some(timex.tick),
    }
}

/// The kernel's clock discipline as it is now, without changing anything: one system call. `Err` says why it can't
/// be had.
pub fn read() -> Result<Ntp, String> {
    // SAFETY: `timex` is plain numbers, for which all zero bits are a value; modes 0 asks only.
    let mut raw: libc::timex = unsafe { std::mem::zeroed() };
    // SAFETY: the call fills the live struct that it is given.
    let state = unsafe { libc::adjtimex(&raw mut raw) };
    if state < 0 {
        return Err(format!("adjtimex: {}", std::io::Error::last_os_error()));
    }
    // The fields' widths differ between C libraries.
    #[allow(clippy::useless_conversion, reason = "i32 on 32-bit systems")]
    let timex = Timex {
        state,
        status: raw.status,
        frequency: raw.freq.into(),
        offset: raw.offset.into(),
        max_error: raw.maxerror.into(),
        est_error: raw.esterror.into(),
        tai: raw.tai,
        tick: raw.tick.into(),
    };
    Ok(decode(&timex))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disciplined_clock() {
        let timex = Timex {
            state: 0,
            status: 0x2001,
            frequency: -65536 * 3 / 2,
            offset: -1234,
            max_error: 16_000_000,
            est_error: 5,
            tai: 37,
            tick: 10_000,
        };
        let expected = Ntp {
            synchronised: true,
            status: vec!["STA_PLL".into(), "STA_NANO".into()],
            state: "TIME_OK".into(),
            frequency_ppm: -1.5,
            offset_ns: -1234.0,
            max_error_ns: 16e9,
            est_error_ns: 5e3,
            tai_offset_s: 37,
            tick_us: Some(10_000),
        };
        assert_eq!(decode(&timex), expected);
        assert_eq!(decode(&Timex { offset: 7, ..Timex::default() }).offset_ns, 7e3, "µs without STA_NANO");
    }

    #[test]
    fn unsynchronised_by_flag_or_by_state() {
        for (status, state, synchronised, name) in
            [(UNSYNC, 0, false, "TIME_OK"), (0, ERROR, false, "TIME_ERROR"), (0, 99, true, "99")]
        {
            let seen = decode(&Timex { state, status, ..Timex::default() });
            assert_eq!((seen.synchronised, seen.state.as_str()), (synchronised, name));
        }
    }
}
