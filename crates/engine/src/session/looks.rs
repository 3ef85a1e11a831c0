//! Looks now and then, all through a run, at how the clocks are kept: the wall clock and the sleeping machine's clock
//! beside the monotonic one, every surveyed clock beside the reference, and the clocksource in use.

use clockscope_analysis::record::Machine;
use clockscope_analysis::trace::{Bracketed, ClocksourceChange, Disruption, Look, Observation};

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
    /// The VMClock's marker, where there is one.
    marker: Option<u64>,
    /// The witness when the two were looked at last.
    looked_at: u64,
    /// When to look again, ns since the start.
    pub(super) next_ns: f64,
    apart_ns: f64,
    /// How long the shortest look took, ns: what an interruption, or a slow device, adds to another one must not keep the
    /// next away for long.
    shortest_ns: f64,
}

impl Looks {
    /// For a run of `time` ns that begins on that machine.
    pub(super) fn new(time: f64, kernel: Option<Witness>, machine: &Machine, start: u64) -> Self {
        let monotonic = kernel.and_then(|kernel| match kernel {
            Witness::Kernel(_, clock) => Some(clock),
            Witness::Counter => None,
        });
        Self {
            monotonic,
            wall: kernel_clock(libc::CLOCK_REALTIME),
            boottime: kernel_clock(libc::CLOCK_BOOTTIME),
            clocksource: machine.clocksource.current.clone(),
            marker: machine.vmclock.as_ref().map(|vmclock| vmclock.disruption_marker),
            looked_at: start,
            next_ns: 0.0,
            apart_ns: (time / LOOKS).clamp(APART_NS.0, APART_NS.1),
            shortest_ns: f64::MAX,
        }
    }

    /// A look that took so long is over.
    pub(super) fn made(&mut self, took_ns: f64, now_ns: f64) {
        if took_ns > 0.0 {
            self.shortest_ns = self.shortest_ns.min(took_ns);
        }
        self.next_ns = now_ns + self.apart_ns.max(SHARE * self.shortest_ns);
    }

    /// The kernel's own clocks: some ten reads and a small file.
    pub(super) fn kernel(&mut self, witness: Witness, kernel: Option<Witness>) -> Vec<Observation<'static>> {
        let now = witness.stamp().count;
        let mut seen = Vec::new();
        if let Some(current) = machine::current_clocksource() {
            let before = self.clocksource.replace(current.clone());
            if let Some(from) = before.filter(|before| *before != current) {
                let since = self.looked_at;
                seen.push(Observation::Clocksource(ClocksourceChange { from, to: current, since, at: now }));
            }
        }
        if let Some(before) = self.marker
            && let Ok(Some(marker)) = machine::disruption_marker()
            && marker != before
        {
            self.marker = Some(marker);
            seen.push(Observation::Disrupted(Disruption { marker, since: self.looked_at, at: now }));
        }
        self.looked_at = now;
        if let Some(monotonic) = self.monotonic {
            let read = |clock: Gettime| move || clock.read().ok();
            let beside = |clock: Option<Gettime>, by| clock.and_then(|clock| bracketed(read(by), read(clock)));
            let stamp = |of: Witness| move || Some(of.stamp().count);
            let counter = matches!(witness, Witness::Counter);
            seen.push(Observation::Look(Look {
                witness: now,
                kernel: kernel.map(|kernel| kernel.stamp().count),
                beside: kernel.filter(|_| counter).and_then(|kernel| bracketed(stamp(witness), stamp(kernel))),
                wall: beside(self.wall, self.boottime.unwrap_or(monotonic)),
                boottime: beside(self.boottime, monotonic),
            }));
        }
        seen
    }
}

/// A reading of `clock` between two of `by`, the tightest of some; `None` where a read fails or none is in order.
fn bracketed(by: impl Fn() -> Option<u64>, clock: impl Fn() -> Option<u64>) -> Option<Bracketed> {
    let once = || Some(Bracketed { before: by()?, value: clock()?, after: by()? });
    (0..TRIES).filter_map(|_| once()).filter(|reading| reading.width() >= 0).min_by_key(Bracketed::width)
}
