//! Clocks of Rust's libraries, as Rust programs read them: timed where they are asked for, as a user of them would.

use std::io::Error;
use std::sync::OnceLock;
use std::time::Instant;

use super::clock::clock;
use super::{Description, Register, Unit, symbol};
use clockscope_analysis::record::{Kind, Path, Promises};

/// Slewed by NTP, stopped by sleep: they keep the time of the kernel's monotonic clock.
const MONOTONIC: Promises = Promises { may_step: false, slewed: true, counts_suspend: false, per_cpu: false };

/// The standard library's.
#[derive(Clone, Copy)]
struct OfStd;

/// An `Instant` of the standard library tells no number, only how far it is from another one.
fn origin() -> Instant {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    *ORIGIN.get_or_init(Instant::now)
}

fn since_origin(now: Instant) -> u64 {
    let ahead = |now: Instant, then: Instant| now.saturating_duration_since(then).as_nanos() as u64;
    ahead(now, origin()).wrapping_sub(ahead(origin(), now))
}

clock!(
    OfStd,
    Instant = origin(),
    |self, out| {
        *out = Instant::now();
        0
    },
    |now| since_origin(*now)
);

/// This project's own.
#[derive(Clone, Copy)]
struct Truetick;

clock!(
    Truetick,
    u64 = 0,
    |self, out| {
        *out = truetick::Instant::now().as_nanos() as u64;
        0
    },
    |ns| *ns
);

pub(super) fn register<R: Register>(register: &mut R) {
    let describe = |id, api, path, path_evidence: &str| Description {
        only_asked: true,
        path,
        path_evidence: path_evidence.into(),
        promises: MONOTONIC,
        ..Description::new(id, api, Kind::Monotonic, Unit::Ns(1.0))
    };
    let evidence = "the counter where it can be trusted, else the system's clock; TRUETICK_SOURCE forces one";
    // Not read to try them out: they can't fail, and truetick's first read costs what later ones do not.
    register.clock(describe("truetick", "truetick::Instant::now", Path::Library, evidence), Truetick);
    let evidence = "Rust's library calls clock_gettime(CLOCK_MONOTONIC) of the C library";
    let of_std = Description {
        interposed_by: symbol::interposer(c"clock_gettime"),
        ..describe("std-instant", "std::time::Instant::now", Path::Libc, evidence)
    };
    // Read by the C library first: where that fails, the standard library panics.
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes to a structure of its own.
    let answer = unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    let is_told = if answer == 0 { Ok(OfStd) } else { Err(format!("clock_gettime: {}", Error::last_os_error())) };
    register.found(of_std, is_told);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn an_instant_is_a_number_on_either_side_of_the_first_one() {
        let origin = origin();
        assert_eq!(since_origin(origin + Duration::from_nanos(1_500_000_001)), 1_500_000_001);
        assert_eq!(since_origin(origin.checked_sub(Duration::from_nanos(7)).unwrap()), 7_u64.wrapping_neg());
    }
}
