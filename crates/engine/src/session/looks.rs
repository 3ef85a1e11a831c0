//! Looks now and then, all through a run, at how the clocks are kept: the wall clock and the sleeping machine's clock
//! beside the monotonic one, every surveyed clock beside the reference, and the clocksource in use.

use clockscope_analysis::trace::{Bracketed, ClocksourceChange, Look, Observation};

use crate::catalog::{Clock, Gettime, kernel_clock};
use crate::machine;
use crate::measure::Witness;

/// Looks a run, where its time allows.
const LOOKS: f64 = 256.0;
/// Least and most time between two looks, ns. The longer the gaps, the less is known of when a clock was set.
const APART_NS: (f64, f64) = (1e6, 20e6);
/// The looks may take one part in so many of the time.
const SHARE: f64 = 50.0;
/// Tries for a tight bracket.
const TRIES: usize = 3;

/// When to look, and at what of the kernel's.
pub(super) struct Looks {
    monotonic: Option<Gettime>,
    wall: Option<Gettime>,
    boottime: Option<Gettime>,
    clocksource: Option<String>,
    /// The witness when the clocksource was looked at last.
    clocksource_at: u64,
    /// When to look again, ns since the start.
    next_ns: f64,
    apart_ns: f64,
}

impl Looks {
    /// For a run of `time` ns that begins under that clocksource.
    pub(super) fn new(time: f64, kernel: Option<Witness>, clocksource: Option<&str>) -> Self {
        let monotonic = kernel.and_then(|kernel| match kernel {
            Witness::Kernel(_, clock) => Some(clock),
            Witness::Counter => None,
        });
        Self {
            monotonic,
            wall: kernel_clock(libc::CLOCK_REALTIME),
            boottime: kernel_clock(libc::CLOCK_BOOTTIME),
            clocksource: clocksource.map(str::to_owned),
            clocksource_at: 0,
            next_ns: 0.0,
            apart_ns: (time / LOOKS).clamp(APART_NS.0, APART_NS.1),
        }
    }

    /// Whether it is time to look.
    pub(super) fn is_due(&self, now_ns: f64) -> bool {
        now_ns >= self.next_ns
    }

    /// A look was made in that time.
    pub(super) fn made(&mut self, begun_ns: f64, ended_ns: f64) {
        self.next_ns = ended_ns + self.apart_ns.max(SHARE * (ended_ns - begun_ns));
    }

    /// The kernel's own clocks: some ten reads and a small file.
    pub(super) fn kernel(&mut self, witness: Witness, kernel: Option<Witness>) -> Vec<Observation<'static>> {
        let now = witness.stamp().count;
        let mut seen = Vec::new();
        if let Some(current) = machine::current_clocksource() {
            let before = self.clocksource.replace(current.clone());
            if let Some(from) = before.filter(|before| *before != current) {
                let since = self.clocksource_at;
                seen.push(Observation::Clocksource(ClocksourceChange { from, to: current, since, at: now }));
            }
        }
        self.clocksource_at = now;
        if let Some(monotonic) = self.monotonic {
            let beside = |clock: Option<Gettime>, by: Gettime| clock.and_then(|clock| bracketed(by, clock));
            seen.push(Observation::Look(Look {
                witness: now,
                kernel: kernel.map(|kernel| kernel.stamp().count),
                wall: beside(self.wall, self.boottime.unwrap_or(monotonic)),
                boottime: beside(self.boottime, monotonic),
            }));
        }
        seen
    }
}

/// A reading of `clock` between two of `by`, the tightest of some; `None` where a read fails or none is in order.
fn bracketed(by: Gettime, clock: Gettime) -> Option<Bracketed> {
    let once = || {
        let (before, value, after) = (by.read().ok()?, clock.read().ok()?, by.read().ok()?);
        Some(Bracketed { before, value, after })
    };
    (0..TRIES).filter_map(|_| once()).filter(|reading| reading.width() >= 0).min_by_key(Bracketed::width)
}
