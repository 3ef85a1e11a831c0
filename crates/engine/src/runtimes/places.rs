//! What the system's clocks show before and after a probe runs.

use clockscope_analysis::analyze::beneath::Shown;

/// Clocks that a runtime may read, of each epoch the likeliest first.
const CLOCKS: [(&str, libc::clockid_t); 5] = [
    ("monotonic", libc::CLOCK_MONOTONIC),
    ("boottime", libc::CLOCK_BOOTTIME),
    ("monotonic-raw", libc::CLOCK_MONOTONIC_RAW),
    ("realtime", libc::CLOCK_REALTIME),
    ("tai", libc::CLOCK_TAI),
];

/// Of those that can be read, what they show now.
pub(super) fn before() -> Vec<Shown> {
    let shown = |(name, id)| now(id).map(|ns| Shown { clock: String::from(name), before_ns: ns, after_ns: ns });
    CLOCKS.into_iter().filter_map(shown).collect()
}

/// The same, with what they show now.
pub(super) fn after(mut all: Vec<Shown>) -> Vec<Shown> {
    for shown in &mut all {
        let id = CLOCKS.iter().find(|(name, _)| *name == shown.clock);
        if let Some(ns) = id.and_then(|(_, id)| now(*id)) {
            shown.after_ns = ns;
        }
    }
    all
}

fn now(id: libc::clockid_t) -> Option<i64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the timespec is this function's own.
    let done = unsafe { libc::clock_gettime(id, &raw mut time) } == 0;
    #[allow(clippy::useless_conversion, reason = "32-bit systems have narrower fields")]
    done.then(|| i64::from(time.tv_sec).saturating_mul(1_000_000_000).saturating_add(i64::from(time.tv_nsec)))
}
