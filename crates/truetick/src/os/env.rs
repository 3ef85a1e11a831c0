//! The environment's say: which source, how long a line. Read once, and kept in one word.

use core::sync::atomic::{
    AtomicU64,
    Ordering::{AcqRel, Relaxed},
};

use super::{name::Name, own};
use crate::{line::PERIOD_NS, source::Forced};

const NAMES: [&str; 2] = ["TRUETICK_SOURCE", "TRUETICK_REFIT_US"];

/// What the environment said, as one word: bit 0 that it was read, bits 1 and 2 `TRUETICK_SOURCE`, the rest
/// `TRUETICK_REFIT_US`. One word, so that whoever sees a part of it sees all.
static SAID: AtomicU64 = AtomicU64::new(0);
const READ: u64 = 1;
const REFIT_SHIFT: u32 = 3;

fn forced_by(name: Name) -> Option<Forced> {
    match name.as_bytes() {
        b"" => None,
        b"counter" | b"tsc" | b"cntvct" | b"rdtime" => Some(Forced::Counter),
        b"os" | b"system" => Some(Forced::System),
        _ => Some(Forced::Unknown),
    }
}

fn word([source, refit]: [Option<Name>; 2]) -> u64 {
    let source = match source.and_then(forced_by) {
        None => 0,
        Some(Forced::Counter) => 1,
        Some(Forced::System) => 2,
        Some(Forced::Unknown) => 3,
    };
    let refit = refit.and_then(|v| v.number()).filter(|us| (1..=1_000_000).contains(us)).unwrap_or(0);
    READ | source << 1 | refit << REFIT_SHIFT
}

/// The first call reads the environment, which is when the source is chosen.
fn said() -> u64 {
    let known = SAID.load(Relaxed);
    if known != 0 {
        return known;
    }
    let word = word(own::variables(NAMES));
    // The first one to read has read for all.
    SAID.compare_exchange(0, word, AcqRel, Relaxed).map_or_else(|first| first, |_| word)
}

fn forced_of(word: u64) -> Option<Forced> {
    match word >> 1 & 3 {
        0 => None,
        1 => Some(Forced::Counter),
        2 => Some(Forced::System),
        _ => Some(Forced::Unknown),
    }
}

fn period_of(word: u64) -> u64 {
    match word >> REFIT_SHIFT {
        0 => PERIOD_NS,
        us => us * 1000,
    }
}

/// What `TRUETICK_SOURCE` asks for.
pub(crate) fn forced() -> Option<Forced> {
    forced_of(said())
}

/// The longest that a line is used, ns: [`PERIOD_NS`], or `TRUETICK_REFIT_US` microseconds (1 to 1,000,000).
pub(crate) fn period_ns() -> u64 {
    period_of(said())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_holds_all_that_was_said() {
        let said = |s: [&str; 2]| {
            let word = word(s.map(|v| (v != "-").then(|| Name::of(v.as_bytes()))));
            assert_ne!(word, 0);
            (forced_of(word), period_of(word))
        };
        assert_eq!(said(["-", "-"]), (None, PERIOD_NS));
        assert_eq!(said(["", ""]), (None, PERIOD_NS));
        assert_eq!(said(["TSC", "1000000"]), (Some(Forced::Counter), 1_000_000_000));
        assert_eq!(said(["os", "1"]), (Some(Forced::System), 1000));
        assert_eq!(said(["hpet", "1000001"]), (Some(Forced::Unknown), PERIOD_NS));
        assert_eq!(said(["-", "0"]), (None, PERIOD_NS));
        assert_eq!(said(["-", "-5"]), (None, PERIOD_NS));
    }
}
