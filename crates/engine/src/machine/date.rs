//! When a run began, for people who keep records.

use std::time::{Duration, UNIX_EPOCH};

use clockscope_analysis::trace::Moment;
use clockscope_analysis::trace::machine::Ntp;

use crate::catalog::{Clock, kernel_clock};

/// Now, UTC, as RFC 3339 has it, to the second; `None` where the system does not say. (`std::time::SystemTime` would
/// panic where the clock fails.)
pub fn utc() -> Option<String> {
    Some(humantime::format_rfc3339_seconds(UNIX_EPOCH + wall()?).to_string())
}

/// Now, to the nanosecond, and how far off that may be by the kernel's word of its discipline, which `ntp` is; `None` where the
/// system does not say.
pub fn now(ntp: Option<&Ntp>) -> Option<Moment> {
    let utc = humantime::format_rfc3339_nanos(UNIX_EPOCH + wall()?).to_string();
    // What the kernel has yet to slew is not in its maximum error with every daemon (docs/truetick/wall.md).
    let within_ns = ntp.filter(|ntp| ntp.synchronised).map(|ntp| ntp.max_error_ns + ntp.offset_ns.abs());
    Some(Moment { utc, within_ns })
}

fn wall() -> Option<Duration> {
    Some(Duration::from_nanos(kernel_clock(libc::CLOCK_REALTIME)?.read().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_the_kernels_and_none_where_it_does_not_believe_its_clock() {
        let ntp = Ntp { synchronised: true, max_error_ns: 2e6, offset_ns: -3e5, ..Ntp::default() };
        assert_eq!(now(Some(&ntp)).unwrap().within_ns, Some(2.3e6));
        for none in [None, Some(&Ntp { synchronised: false, ..ntp })] {
            assert_eq!(now(none).unwrap().within_ns, None);
        }
        let (to_second, to_ns) = (utc().unwrap(), now(None).unwrap().utc);
        assert!(to_ns.len() == "2026-01-01T00:00:00.000000000Z".len() && to_ns[..13] >= to_second[..13], "{to_ns}");
    }
}
