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

/// In the record's units, which are `adjtimex(2)`'s scaled; `state` is what the call returned.
fn decode(state: i32, timex: &libc::timex) -> Ntp {
    let has = |bit: i32| timex.status & bit != 0;
    let status = STATUS.split(' ').enumerate().filter(|(bit, _)| has(1 << bit));
    let name = usize::try_from(state).ok().and_then(|state| STATES.get(state));
    Ntp {
        synchronised: !has(UNSYNC) && state != ERROR,
        status: status.map(|(_, name)| format!("STA_{name}")).collect(),
        state: name.map_or_else(|| state.to_string(), |name| (*name).to_owned()),
        frequency_ppm: timex.freq as f64 / 65536.0,
        offset_ns: timex.offset as f64 * if has(NANO) { 1.0 } else { 1e3 },
        max_error_ns: timex.maxerror as f64 * 1e3,
        est_error_ns: timex.esterror as f64 * 1e3,
        tai_offset_s: timex.tai,
        #[allow(clippy::useless_conversion, reason = "i32 on 32-bit systems")]
        tick_us: Some(timex.tick.into()),
    }
}

/// The kernel's clock discipline as it is now, without changing anything: one system call. `Err` says why it can't
/// be had.
pub fn read() -> Result<Ntp, String> {
    let mut timex = zeroed();
    // SAFETY: the call fills the live struct that it is given; modes 0 asks only.
    let state = unsafe { libc::adjtimex(&raw mut timex) };
    if state < 0 { Err(format!("adjtimex: {}", std::io::Error::last_os_error())) } else { Ok(decode(state, &timex)) }
}

fn zeroed() -> libc::timex {
    // SAFETY: plain numbers, for which all zero bits are a value.
    unsafe { std::mem::zeroed() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disciplined_clock() {
        let timex = libc::timex {
            status: 0x2001,
            freq: -65536 * 3 / 2,
            offset: -1234,
            maxerror: 16_000_000,
            esterror: 5,
            tai: 37,
            tick: 10_000,
            ..zeroed()
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
        assert_eq!(decode(0, &timex), expected);
        assert_eq!(decode(0, &libc::timex { offset: 7, ..zeroed() }).offset_ns, 7e3, "µs without STA_NANO");
    }

    #[test]
    fn unsynchronised_by_flag_or_by_state() {
        for (status, state, synchronised, name) in
            [(UNSYNC, 0, false, "TIME_OK"), (0, ERROR, false, "TIME_ERROR"), (0, 99, true, "99")]
        {
            let seen = decode(state, &libc::timex { status, ..zeroed() });
            assert_eq!((seen.synchronised, seen.state.as_str()), (synchronised, name));
        }
    }
}
